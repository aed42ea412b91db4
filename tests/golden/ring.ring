Dolev-Klawe-Rodeh election: 5 processes, 26 messages, coordinator 4

── Step 0 of 28 ──────────────────────────────────────────────────────────────
The beginning: the processes before the first step.

  follows 5  1 ◎ ─────────────▶ ◎ 3  follows 5
               ▲                ▼
coordinator  5 ★                ◎ 2  follows 5
               ▲                │
  follows 5  4 ◎                │
               ▲                │
               ╰────────────────╯

── Step 1 of 28 · 0.000 ms ───────────────────────────────────────────────────
5: leaves

  follows 5  1 ◎ ─────────────▶ ◎ 3  follows 5
               ▲                ▼
     absent [5 ×]               ◎ 2  follows 5
               │                │
  follows 5  4 ◎                │
               ▲                │
               ╰────────────────╯

── Step 2 of 28 · 1.000 ms ───────────────────────────────────────────────────
1: suspects 5: down; active (1, –, –); sends VALUE 1 to 3

     active [1 ○]──── V 1 ────▶ ◎ 3  follows 5
     (1, –, –) ▲                ▼
     absent  5 ×                ◎ 2  follows 5
               │                │
  follows 5  4 ◎                │
               ▲                │
               ╰────────────────╯

── Step 3 of 28 · 16.260 ms ──────────────────────────────────────────────────
3: receives VALUE 1 from 1; active (3, 1, –); sends VALUE 3 to 2; sends SECOND
1 to 2

     active  1 ○ ─────────────▶[○ 3] active
     (1, –, –) ▲      V 3; V2 1 ▼ (3, 1, –)
     absent  5 ×                ◎ 2  follows 5
               │                │
  follows 5  4 ◎                │
               ▲                │
               ╰────────────────╯

── Step 4 of 28 · 18.480 ms ──────────────────────────────────────────────────
2: receives VALUE 3 from 3; active (2, 3, –); sends VALUE 2 to 4; sends SECOND
3 to 4

     active  1 ○ ─────────────▶ ○ 3  active
     (1, –, –) ▲           V2 1 ▼ (3, 1, –)
     absent  5 ×               [○ 2] active
               │                │ (2, 3, –)
  follows 5  4 ◎                │
               ▲                │
               ╰── V 2; V2 3 ───╯

── Step 5 of 28 · 24.730 ms ──────────────────────────────────────────────────
4: receives VALUE 2 from 2; active (4, 2, –); sends VALUE 4 to 5

     active  1 ○ ─────────────▶ ○ 3  active
     (1, –, –) ▲           V2 1 ▼ (3, 1, –)
     absent  5 ×                ○ 2  active
               │                │ (2, 3, –)
     active [4 ○] V 4           │
     (4, 2, –) ▲                │
               ╰───── V2 3 ─────╯

── Step 6 of 28 · 24.730 ms ──────────────────────────────────────────────────
4: cannot deliver VALUE 4 to 5; sends SECOND 2 to 5

     active  1 ○ ─────────────▶ ○ 3  active
     (1, –, –) ▲           V2 1 ▼ (3, 1, –)
     absent  5 ×                ○ 2  active
               │                │ (2, 3, –)
     active [4 ○] V2 2          │
     (4, 2, –) ▲                │
               ╰───── V2 3 ─────╯

── Step 7 of 28 · 24.730 ms ──────────────────────────────────────────────────
4: cannot deliver SECOND 2 to 5; sends VALUE 4 to 1; sends SECOND 2 to 1

     active  1 ○ ─────────────▶ ○ 3  active
     (1, –, –) ▲           V2 1 ▼ (3, 1, –)
     absent  5 ×  V 4; V2 2     ○ 2  active
               │                │ (2, 3, –)
     active [4 ○]               │
     (4, 2, –) ▲                │
               ╰───── V2 3 ─────╯

── Step 8 of 28 · 26.790 ms ──────────────────────────────────────────────────
1: receives VALUE 4 from 4; (1, 4, –); sends SECOND 4 to 3

     active [1 ○]──── V2 4 ───▶ ○ 3  active
     (1, 4, –) ▲           V2 1 ▼ (3, 1, –)
     absent  5 ×  V2 2          ○ 2  active
               │                │ (2, 3, –)
     active  4 ○                │
     (4, 2, –) ▲                │
               ╰───── V2 3 ─────╯

── Step 9 of 28 · 28.760 ms ──────────────────────────────────────────────────
1: receives SECOND 2 from 4; (4, 4, 2); sends VALUE 4 to 3

     active [1 ○]─ V2 4; V 4 ─▶ ○ 3  active
     (4, 4, 2) ▲           V2 1 ▼ (3, 1, –)
     absent  5 ×                ○ 2  active
               │                │ (2, 3, –)
     active  4 ○                │
     (4, 2, –) ▲                │
               ╰───── V2 3 ─────╯

── Step 10 of 28 · 31.510 ms ─────────────────────────────────────────────────
4: receives SECOND 3 from 2; relay (4, 2, 3)

     active  1 ○ ─ V2 4; V 4 ─▶ ○ 3  active
     (4, 4, 2) ▲           V2 1 ▼ (3, 1, –)
     absent  5 ×                ○ 2  active
               │                │ (2, 3, –)
      relay [4 ●]               │
     (4, 2, 3) ▲                │
               ╰────────────────╯

── Step 11 of 28 · 36.130 ms ─────────────────────────────────────────────────
2: receives SECOND 1 from 3; (3, 3, 1); sends VALUE 3 to 4

     active  1 ○ ─ V2 4; V 4 ─▶ ○ 3  active
     (4, 4, 2) ▲                ▼ (3, 1, –)
     absent  5 ×               [○ 2] active
               │                │ (3, 3, 1)
      relay  4 ●                │
     (4, 2, 3) ▲                │
               ╰───── V 3 ──────╯

── Step 12 of 28 · 38.400 ms ─────────────────────────────────────────────────
4: receives VALUE 3 from 2; sends VALUE 3 to 1

     active  1 ○ ─ V2 4; V 4 ─▶ ○ 3  active
     (4, 4, 2) ▲                ▼ (3, 1, –)
     absent  5 ×  V 3           ○ 2  active
               │                │ (3, 3, 1)
      relay [4 ●]               │
     (4, 2, 3) ▲                │
               ╰────────────────╯

── Step 13 of 28 · 51.260 ms ─────────────────────────────────────────────────
3: receives SECOND 4 from 1; relay (3, 1, 4)

     active  1 ○ ──── V 4 ────▶[● 3] relay
     (4, 4, 2) ▲                ▼ (3, 1, 4)
     absent  5 ×  V 3           ○ 2  active
               │                │ (3, 3, 1)
      relay  4 ●                │
     (4, 2, 3) ▲                │
               ╰────────────────╯

── Step 14 of 28 · 52.370 ms ─────────────────────────────────────────────────
3: receives VALUE 4 from 1; sends VALUE 4 to 2

     active  1 ○ ─────────────▶[● 3] relay
     (4, 4, 2) ▲            V 4 ▼ (3, 1, 4)
     absent  5 ×  V 3           ○ 2  active
               │                │ (3, 3, 1)
      relay  4 ●                │
     (4, 2, 3) ▲                │
               ╰────────────────╯

── Step 15 of 28 · 65.120 ms ─────────────────────────────────────────────────
1: receives VALUE 3 from 4; (4, 3, –); sends SECOND 3 to 3

     active [1 ○]──── V2 3 ───▶ ● 3  relay
     (4, 3, –) ▲            V 4 ▼ (3, 1, 4)
     absent  5 ×                ○ 2  active
               │                │ (3, 3, 1)
      relay  4 ●                │
     (4, 2, 3) ▲                │
               ╰────────────────╯

── Step 16 of 28 · 74.390 ms ─────────────────────────────────────────────────
2: receives VALUE 4 from 3; (3, 4, –); sends SECOND 4 to 4

     active  1 ○ ──── V2 3 ───▶ ● 3  relay
     (4, 3, –) ▲                ▼ (3, 1, 4)
     absent  5 ×               [○ 2] active
               │                │ (3, 4, –)
      relay  4 ●                │
     (4, 2, 3) ▲                │
               ╰───── V2 4 ─────╯

── Step 17 of 28 · 80.000 ms ─────────────────────────────────────────────────
4: receives SECOND 4 from 2; sends SECOND 4 to 1

     active  1 ○ ──── V2 3 ───▶ ● 3  relay
     (4, 3, –) ▲                ▼ (3, 1, 4)
     absent  5 ×  V2 4          ○ 2  active
               │                │ (3, 4, –)
      relay [4 ●]               │
     (4, 2, 3) ▲                │
               ╰────────────────╯

── Step 18 of 28 · 87.060 ms ─────────────────────────────────────────────────
3: receives SECOND 3 from 1; sends SECOND 3 to 2

     active  1 ○ ─────────────▶[● 3] relay
     (4, 3, –) ▲           V2 3 ▼ (3, 1, 4)
     absent  5 ×  V2 4          ○ 2  active
               │                │ (3, 4, –)
      relay  4 ●                │
     (4, 2, 3) ▲                │
               ╰────────────────╯

── Step 19 of 28 · 91.070 ms ─────────────────────────────────────────────────
1: receives SECOND 4 from 4; relay (4, 3, 4)

      relay [1 ●]─────────────▶ ● 3  relay
     (4, 3, 4) ▲           V2 3 ▼ (3, 1, 4)
     absent  5 ×                ○ 2  active
               │                │ (3, 4, –)
      relay  4 ●                │
     (4, 2, 3) ▲                │
               ╰────────────────╯

── Step 20 of 28 · 92.620 ms ─────────────────────────────────────────────────
2: receives SECOND 3 from 3; (4, 4, 3); sends VALUE 4 to 4

      relay  1 ● ─────────────▶ ● 3  relay
     (4, 3, 4) ▲                ▼ (3, 1, 4)
     absent  5 ×               [○ 2] active
               │                │ (4, 4, 3)
      relay  4 ●                │
     (4, 2, 3) ▲                │
               ╰───── V 4 ──────╯

── Step 21 of 28 · 110.340 ms ────────────────────────────────────────────────
4: receives VALUE 4 from 2; sends VALUE 4 to 1

      relay  1 ● ─────────────▶ ● 3  relay
     (4, 3, 4) ▲                ▼ (3, 1, 4)
     absent  5 ×  V 4           ○ 2  active
               │                │ (4, 4, 3)
      relay [4 ●]               │
     (4, 2, 3) ▲                │
               ╰────────────────╯

── Step 22 of 28 · 135.640 ms ────────────────────────────────────────────────
1: receives VALUE 4 from 4; sends VALUE 4 to 3

      relay [1 ●]──── V 4 ────▶ ● 3  relay
     (4, 3, 4) ▲                ▼ (3, 1, 4)
     absent  5 ×                ○ 2  active
               │                │ (4, 4, 3)
      relay  4 ●                │
     (4, 2, 3) ▲                │
               ╰────────────────╯

── Step 23 of 28 · 156.410 ms ────────────────────────────────────────────────
3: receives VALUE 4 from 1; sends VALUE 4 to 2

      relay  1 ● ─────────────▶[● 3] relay
     (4, 3, 4) ▲            V 4 ▼ (3, 1, 4)
     absent  5 ×                ○ 2  active
               │                │ (4, 4, 3)
      relay  4 ●                │
     (4, 2, 3) ▲                │
               ╰────────────────╯

── Step 24 of 28 · 174.410 ms ────────────────────────────────────────────────
2: receives VALUE 4 from 3; follows 4; sends LEADER 4 to 4

      relay  1 ● ─────────────▶ ● 3  relay
     (4, 3, 4) ▲                ▼ (3, 1, 4)
     absent  5 ×               [◎ 2] follows 4
               │                │ (4, 4, –)
      relay  4 ●                │
     (4, 2, 3) ▲                │
               ╰───── L 4 ──────╯

── Step 25 of 28 · 193.230 ms ────────────────────────────────────────────────
4: receives LEADER 4 from 2; ★ coordinator; sends LEADER 4 to 1

      relay  1 ● ─────────────▶ ● 3  relay
     (4, 3, 4) ▲                ▼ (3, 1, 4)
     absent  5 ×  L 4           ◎ 2  follows 4
               │                │ (4, 4, –)
coordinator [4 ★]               │
     (4, 2, 3) ▲                │
               ╰────────────────╯

── Step 26 of 28 · 203.300 ms ────────────────────────────────────────────────
1: receives LEADER 4 from 4; follows 4; sends LEADER 4 to 3

  follows 4 [1 ◎]──── L 4 ────▶ ● 3  relay
     (4, 3, 4) ▲                ▼ (3, 1, 4)
     absent  5 ×                ◎ 2  follows 4
               │                │ (4, 4, –)
coordinator  4 ★                │
     (4, 2, 3) ▲                │
               ╰────────────────╯

── Step 27 of 28 · 209.110 ms ────────────────────────────────────────────────
3: receives LEADER 4 from 1; follows 4; sends LEADER 4 to 2

  follows 4  1 ◎ ─────────────▶[◎ 3] follows 4
     (4, 3, 4) ▲            L 4 ▼ (3, 1, 4)
     absent  5 ×                ◎ 2  follows 4
               │                │ (4, 4, –)
coordinator  4 ★                │
     (4, 2, 3) ▲                │
               ╰────────────────╯

── Step 28 of 28 · 212.350 ms ────────────────────────────────────────────────
2: receives LEADER 4 from 3

  follows 4  1 ◎ ─────────────▶ ◎ 3  follows 4
     (4, 3, 4) ▲                ▼ (3, 1, 4)
     absent  5 ×               [◎ 2] follows 4
               │                │ (4, 4, –)
coordinator  4 ★                │
     (4, 2, 3) ▲                │
               ╰────────────────╯

Legend:  ◎ follower   ○ active   ● relay   ★ coordinator
  V VALUE   V2 SECOND   L LEADER   J JOIN
  [ ]: the process that acts in this step
  on each arrow: the messages in flight, the next to arrive first
  (d, e, f) beside each process: its variables
