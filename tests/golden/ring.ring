Ring election: 5 processes, 26 messages, coordinator 4

── Step 0 of 27 ──────────────────────────────────────────────────────────────
The beginning: how the processes stand before the first step.

       ╭──▶ ◎ 1 ─────────────▶ ◎ 3 ─────────────▶ ◎ 2 ──────────╮
       │    follows 5          follows 5          follows 5     │
       │                                                        │
       │                                                        │
       │             coordinator        follows 5               │
       │                                                        │
       ╰──────────── ★ 5 ◀───────────── ◎ 4 ◀───────────────────╯

── Step 1 of 27 · 0.000 ms ───────────────────────────────────────────────────
5: leaves

       ╭──▶ ◎ 1 ─────────────▶ ◎ 3 ──────────╮
       │    follows 5          follows 5     │
       │                                     │
       │                                     │
       │    follows 5          follows 5     │
       │                                     │
       ╰─── ◎ 4 ◀───────────── ◎ 2 ◀─────────╯

── Step 2 of 27 · 1.000 ms ───────────────────────────────────────────────────
1: suspects 5: down; active (1, –, –); sends VALUE 1 to 3

       ╭──▶[○ 1]───── V 1 ───▶ ◎ 3 ──────────╮
       │    active             follows 5     │
       │    (1, –, –)                        │
       │                                     │
       │    follows 5          follows 5     │
       │                                     │
       ╰─── ◎ 4 ◀───────────── ◎ 2 ◀─────────╯

── Step 3 of 27 · 16.260 ms ──────────────────────────────────────────────────
3: receives VALUE 1 from 1; active (3, 1, –); sends VALUE 3 to 2; sends SECOND
1 to 2

       ╭──▶ ○ 1 ─────────────▶[○ 3]──────────╮
       │    active             active        │
       │    (1, –, –)          (3, 1, –)     │
       │                                 V 3; V2 1
       │    follows 5          follows 5     │
       │                                     │
       ╰─── ◎ 4 ◀───────────── ◎ 2 ◀─────────╯

── Step 4 of 27 · 18.480 ms ──────────────────────────────────────────────────
2: receives VALUE 3 from 3; active (2, 3, –); sends VALUE 2 to 4; sends SECOND
3 to 4

       ╭──▶ ○ 1 ─────────────▶ ○ 3 ──────────╮
       │    active             active        │
       │    (1, –, –)          (3, 1, –)     │
       │                                   V2 1
       │    follows 5          active        │
       │                       (2, 3, –)     │
       ╰─── ◎ 4 ◀─ V 2; V2 3 ─[○ 2]◀─────────╯

── Step 5 of 27 · 24.730 ms ──────────────────────────────────────────────────
4: receives VALUE 2 from 2; active (4, 2, –); sends VALUE 4 to 5

       ╭──▶ ○ 1 ─────────────▶ ○ 3 ──────────╮
       │    active             active        │
       │    (1, –, –)          (3, 1, –)     │
       │                                   V2 1
       │    active             active        │
       │    (4, 2, –)          (2, 3, –)     │
       ╰───[○ 4]◀─── V2 3 ──── ○ 2 ◀─────────╯
  on its way, but not to a neighbour: 4 → 5: V 4

── Step 6 of 27 · 24.730 ms ──────────────────────────────────────────────────
4: cannot deliver VALUE 4 to 5; sends SECOND 2 to 5

       ╭──▶ ○ 1 ─────────────▶ ○ 3 ──────────╮
       │    active             active        │
       │    (1, –, –)          (3, 1, –)     │
       │                                   V2 1
       │    active             active        │
       │    (4, 2, –)          (2, 3, –)     │
       ╰───[○ 4]◀─── V2 3 ──── ○ 2 ◀─────────╯
  on its way, but not to a neighbour: 4 → 5: V2 2

── Step 7 of 27 · 24.730 ms ──────────────────────────────────────────────────
4: cannot deliver SECOND 2 to 5; sends VALUE 4 to 1; sends SECOND 2 to 1

       ╭──▶ ○ 1 ─────────────▶ ○ 3 ──────────╮
       │    active             active        │
       │    (1, –, –)          (3, 1, –)     │
   V 4; V2 2                               V2 1
       │    active             active        │
       │    (4, 2, –)          (2, 3, –)     │
       ╰───[○ 4]◀─── V2 3 ──── ○ 2 ◀─────────╯

── Step 8 of 27 · 26.790 ms ──────────────────────────────────────────────────
1: receives VALUE 4 from 4; (1, 4, –); sends SECOND 4 to 3

       ╭──▶[○ 1]──── V2 4 ───▶ ○ 3 ──────────╮
       │    active             active        │
       │    (1, 4, –)          (3, 1, –)     │
     V2 2                                  V2 1
       │    active             active        │
       │    (4, 2, –)          (2, 3, –)     │
       ╰─── ○ 4 ◀─── V2 3 ──── ○ 2 ◀─────────╯

── Step 9 of 27 · 28.760 ms ──────────────────────────────────────────────────
1: receives SECOND 2 from 4; (4, 4, 2); sends VALUE 4 to 3

       ╭──▶[○ 1]── V2 4; V 4 ▶ ○ 3 ──────────╮
       │    active             active        │
       │    (4, 4, 2)          (3, 1, –)     │
       │                                   V2 1
       │    active             active        │
       │    (4, 2, –)          (2, 3, –)     │
       ╰─── ○ 4 ◀─── V2 3 ──── ○ 2 ◀─────────╯

── Step 10 of 27 · 31.510 ms ─────────────────────────────────────────────────
4: receives SECOND 3 from 2; relay (4, 2, 3)

       ╭──▶ ○ 1 ── V2 4; V 4 ▶ ○ 3 ──────────╮
       │    active             active        │
       │    (4, 4, 2)          (3, 1, –)     │
       │                                   V2 1
       │    relay              active        │
       │    (4, 2, 3)          (2, 3, –)     │
       ╰───[● 4]◀───────────── ○ 2 ◀─────────╯

── Step 11 of 27 · 36.130 ms ─────────────────────────────────────────────────
2: receives SECOND 1 from 3; (3, 3, 1); sends VALUE 3 to 4

       ╭──▶ ○ 1 ── V2 4; V 4 ▶ ○ 3 ──────────╮
       │    active             active        │
       │    (4, 4, 2)          (3, 1, –)     │
       │                                     │
       │    relay              active        │
       │    (4, 2, 3)          (3, 3, 1)     │
       ╰─── ● 4 ◀──── V 3 ────[○ 2]◀─────────╯

── Step 12 of 27 · 38.400 ms ─────────────────────────────────────────────────
4: receives VALUE 3 from 2; sends VALUE 3 to 1

       ╭──▶ ○ 1 ── V2 4; V 4 ▶ ○ 3 ──────────╮
       │    active             active        │
       │    (4, 4, 2)          (3, 1, –)     │
      V 3                                    │
       │    relay              active        │
       │    (4, 2, 3)          (3, 3, 1)     │
       ╰───[● 4]◀───────────── ○ 2 ◀─────────╯

── Step 13 of 27 · 51.260 ms ─────────────────────────────────────────────────
3: receives SECOND 4 from 1; relay (3, 1, 4)

       ╭──▶ ○ 1 ───── V 4 ───▶[● 3]──────────╮
       │    active             relay         │
       │    (4, 4, 2)          (3, 1, 4)     │
      V 3                                    │
       │    relay              active        │
       │    (4, 2, 3)          (3, 3, 1)     │
       ╰─── ● 4 ◀───────────── ○ 2 ◀─────────╯

── Step 14 of 27 · 52.370 ms ─────────────────────────────────────────────────
3: receives VALUE 4 from 1; sends VALUE 4 to 2

       ╭──▶ ○ 1 ─────────────▶[● 3]──────────╮
       │    active             relay         │
       │    (4, 4, 2)          (3, 1, 4)     │
      V 3                                   V 4
       │    relay              active        │
       │    (4, 2, 3)          (3, 3, 1)     │
       ╰─── ● 4 ◀───────────── ○ 2 ◀─────────╯

── Step 15 of 27 · 65.120 ms ─────────────────────────────────────────────────
1: receives VALUE 3 from 4; (4, 3, –); sends SECOND 3 to 3

       ╭──▶[○ 1]──── V2 3 ───▶ ● 3 ──────────╮
       │    active             relay         │
       │    (4, 3, –)          (3, 1, 4)     │
       │                                    V 4
       │    relay              active        │
       │    (4, 2, 3)          (3, 3, 1)     │
       ╰─── ● 4 ◀───────────── ○ 2 ◀─────────╯

── Step 16 of 27 · 74.390 ms ─────────────────────────────────────────────────
2: receives VALUE 4 from 3; (3, 4, –); sends SECOND 4 to 4

       ╭──▶ ○ 1 ──── V2 3 ───▶ ● 3 ──────────╮
       │    active             relay         │
       │    (4, 3, –)          (3, 1, 4)     │
       │                                     │
       │    relay              active        │
       │    (4, 2, 3)          (3, 4, –)     │
       ╰─── ● 4 ◀─── V2 4 ────[○ 2]◀─────────╯

── Step 17 of 27 · 80.000 ms ─────────────────────────────────────────────────
4: receives SECOND 4 from 2; sends SECOND 4 to 1

       ╭──▶ ○ 1 ──── V2 3 ───▶ ● 3 ──────────╮
       │    active             relay         │
       │    (4, 3, –)          (3, 1, 4)     │
     V2 4                                    │
       │    relay              active        │
       │    (4, 2, 3)          (3, 4, –)     │
       ╰───[● 4]◀───────────── ○ 2 ◀─────────╯

── Step 18 of 27 · 87.060 ms ─────────────────────────────────────────────────
3: receives SECOND 3 from 1; sends SECOND 3 to 2

       ╭──▶ ○ 1 ─────────────▶[● 3]──────────╮
       │    active             relay         │
       │    (4, 3, –)          (3, 1, 4)     │
     V2 4                                  V2 3
       │    relay              active        │
       │    (4, 2, 3)          (3, 4, –)     │
       ╰─── ● 4 ◀───────────── ○ 2 ◀─────────╯

── Step 19 of 27 · 91.070 ms ─────────────────────────────────────────────────
1: receives SECOND 4 from 4; relay (4, 3, 4)

       ╭──▶[● 1]─────────────▶ ● 3 ──────────╮
       │    relay              relay         │
       │    (4, 3, 4)          (3, 1, 4)     │
       │                                   V2 3
       │    relay              active        │
       │    (4, 2, 3)          (3, 4, –)     │
       ╰─── ● 4 ◀───────────── ○ 2 ◀─────────╯

── Step 20 of 27 · 92.620 ms ─────────────────────────────────────────────────
2: receives SECOND 3 from 3; (4, 4, 3); sends VALUE 4 to 4

       ╭──▶ ● 1 ─────────────▶ ● 3 ──────────╮
       │    relay              relay         │
       │    (4, 3, 4)          (3, 1, 4)     │
       │                                     │
       │    relay              active        │
       │    (4, 2, 3)          (4, 4, 3)     │
       ╰─── ● 4 ◀──── V 4 ────[○ 2]◀─────────╯

── Step 21 of 27 · 110.340 ms ────────────────────────────────────────────────
4: receives VALUE 4 from 2; sends VALUE 4 to 1

       ╭──▶ ● 1 ─────────────▶ ● 3 ──────────╮
       │    relay              relay         │
       │    (4, 3, 4)          (3, 1, 4)     │
      V 4                                    │
       │    relay              active        │
       │    (4, 2, 3)          (4, 4, 3)     │
       ╰───[● 4]◀───────────── ○ 2 ◀─────────╯

── Step 22 of 27 · 135.640 ms ────────────────────────────────────────────────
1: receives VALUE 4 from 4; sends VALUE 4 to 3

       ╭──▶[● 1]───── V 4 ───▶ ● 3 ──────────╮
       │    relay              relay         │
       │    (4, 3, 4)          (3, 1, 4)     │
       │                                     │
       │    relay              active        │
       │    (4, 2, 3)          (4, 4, 3)     │
       ╰─── ● 4 ◀───────────── ○ 2 ◀─────────╯

── Step 23 of 27 · 156.410 ms ────────────────────────────────────────────────
3: receives VALUE 4 from 1; sends VALUE 4 to 2

       ╭──▶ ● 1 ─────────────▶[● 3]──────────╮
       │    relay              relay         │
       │    (4, 3, 4)          (3, 1, 4)     │
       │                                    V 4
       │    relay              active        │
       │    (4, 2, 3)          (4, 4, 3)     │
       ╰─── ● 4 ◀───────────── ○ 2 ◀─────────╯

── Step 24 of 27 · 174.410 ms ────────────────────────────────────────────────
2: receives VALUE 4 from 3; follows 4; sends LEADER 4 to 4

       ╭──▶ ● 1 ─────────────▶ ● 3 ──────────╮
       │    relay              relay         │
       │    (4, 3, 4)          (3, 1, 4)     │
       │                                     │
       │    relay              follows 4     │
       │    (4, 2, 3)          (4, 4, –)     │
       ╰─── ● 4 ◀──── L 4 ────[◎ 2]◀─────────╯

── Step 25 of 27 · 193.230 ms ────────────────────────────────────────────────
4: receives LEADER 4 from 2; ★ coordinator; sends LEADER 4 to 1

       ╭──▶ ● 1 ─────────────▶ ● 3 ──────────╮
       │    relay              relay         │
       │    (4, 3, 4)          (3, 1, 4)     │
      L 4                                    │
       │    coordinator        follows 4     │
       │    (4, 2, 3)          (4, 4, –)     │
       ╰───[★ 4]◀───────────── ◎ 2 ◀─────────╯

── Step 26 of 27 · 203.300 ms ────────────────────────────────────────────────
1: receives LEADER 4 from 4; follows 4; sends LEADER 4 to 3

       ╭──▶[◎ 1]───── L 4 ───▶ ● 3 ──────────╮
       │    follows 4          relay         │
       │    (4, 3, 4)          (3, 1, 4)     │
       │                                     │
       │    coordinator        follows 4     │
       │    (4, 2, 3)          (4, 4, –)     │
       ╰─── ★ 4 ◀───────────── ◎ 2 ◀─────────╯

── Step 27 of 27 · 209.110 ms ────────────────────────────────────────────────
3: receives LEADER 4 from 1; follows 4; sends LEADER 4 to 2

       ╭──▶ ◎ 1 ─────────────▶[◎ 3]──────────╮
       │    follows 4          follows 4     │
       │    (4, 3, 4)          (3, 1, 4)     │
       │                                    L 4
       │    coordinator        follows 4     │
       │    (4, 2, 3)          (4, 4, –)     │
       ╰─── ★ 4 ◀───────────── ◎ 2 ◀─────────╯

Legend:  ◎ follower  ○ active  ● relay  ★ coordinator
  V VALUE   V2 SECOND   L LEADER   J JOIN
  [ ]: the one that acts in this step
  on each arrow: what is on its way, the first to arrive first
  (d, e, f) beside each process: its variables
