Eleição de Dolev, Klawe e Rodeh: 5 processos, 26 mensagens, coordenador 4

── Passo 0 de 28 ─────────────────────────────────────────────────────────────
O começo: os processos antes do primeiro passo.

      segue 5  1 ◎ ─────────────▶ ◎ 3  segue 5
                 ▲                ▼
  coordenador  5 ★                ◎ 2  segue 5
                 ▲                │
      segue 5  4 ◎                │
                 ▲                │
                 ╰────────────────╯

── Passo 1 de 28 · 0,000 ms ──────────────────────────────────────────────────
5: sai

      segue 5  1 ◎ ─────────────▶ ◎ 3  segue 5
                 ▲                ▼
      ausente [5 ×]               ◎ 2  segue 5
                 │                │
      segue 5  4 ◎                │
                 ▲                │
                 ╰────────────────╯

── Passo 2 de 28 · 1,000 ms ──────────────────────────────────────────────────
1: suspeita de 5: caiu; ativo (1, –, –); envia VALOR 1 para 3

        ativo [1 ○]──── V 1 ────▶ ◎ 3  segue 5
       (1, –, –) ▲                ▼
      ausente  5 ×                ◎ 2  segue 5
                 │                │
      segue 5  4 ◎                │
                 ▲                │
                 ╰────────────────╯

── Passo 3 de 28 · 16,260 ms ─────────────────────────────────────────────────
3: recebe VALOR 1 de 1; ativo (3, 1, –); envia VALOR 3 para 2; envia SEGUNDO 1
para 2

        ativo  1 ○ ─────────────▶[○ 3] ativo
       (1, –, –) ▲      V 3; V2 1 ▼ (3, 1, –)
      ausente  5 ×                ◎ 2  segue 5
                 │                │
      segue 5  4 ◎                │
                 ▲                │
                 ╰────────────────╯

── Passo 4 de 28 · 18,480 ms ─────────────────────────────────────────────────
2: recebe VALOR 3 de 3; ativo (2, 3, –); envia VALOR 2 para 4; envia SEGUNDO 3
para 4

        ativo  1 ○ ─────────────▶ ○ 3  ativo
       (1, –, –) ▲           V2 1 ▼ (3, 1, –)
      ausente  5 ×               [○ 2] ativo
                 │                │ (2, 3, –)
      segue 5  4 ◎                │
                 ▲                │
                 ╰── V 2; V2 3 ───╯

── Passo 5 de 28 · 24,730 ms ─────────────────────────────────────────────────
4: recebe VALOR 2 de 2; ativo (4, 2, –); envia VALOR 4 para 5

        ativo  1 ○ ─────────────▶ ○ 3  ativo
       (1, –, –) ▲           V2 1 ▼ (3, 1, –)
      ausente  5 ×                ○ 2  ativo
                 │                │ (2, 3, –)
        ativo [4 ○] V 4           │
       (4, 2, –) ▲                │
                 ╰───── V2 3 ─────╯

── Passo 6 de 28 · 24,730 ms ─────────────────────────────────────────────────
4: não consegue entregar VALOR 4 a 5; envia SEGUNDO 2 para 5

        ativo  1 ○ ─────────────▶ ○ 3  ativo
       (1, –, –) ▲           V2 1 ▼ (3, 1, –)
      ausente  5 ×                ○ 2  ativo
                 │                │ (2, 3, –)
        ativo [4 ○] V2 2          │
       (4, 2, –) ▲                │
                 ╰───── V2 3 ─────╯

── Passo 7 de 28 · 24,730 ms ─────────────────────────────────────────────────
4: não consegue entregar SEGUNDO 2 a 5; envia VALOR 4 para 1; envia SEGUNDO 2
para 1

        ativo  1 ○ ─────────────▶ ○ 3  ativo
       (1, –, –) ▲           V2 1 ▼ (3, 1, –)
      ausente  5 ×  V 4; V2 2     ○ 2  ativo
                 │                │ (2, 3, –)
        ativo [4 ○]               │
       (4, 2, –) ▲                │
                 ╰───── V2 3 ─────╯

── Passo 8 de 28 · 26,790 ms ─────────────────────────────────────────────────
1: recebe VALOR 4 de 4; (1, 4, –); envia SEGUNDO 4 para 3

        ativo [1 ○]──── V2 4 ───▶ ○ 3  ativo
       (1, 4, –) ▲           V2 1 ▼ (3, 1, –)
      ausente  5 ×  V2 2          ○ 2  ativo
                 │                │ (2, 3, –)
        ativo  4 ○                │
       (4, 2, –) ▲                │
                 ╰───── V2 3 ─────╯

── Passo 9 de 28 · 28,760 ms ─────────────────────────────────────────────────
1: recebe SEGUNDO 2 de 4; (4, 4, 2); envia VALOR 4 para 3

        ativo [1 ○]─ V2 4; V 4 ─▶ ○ 3  ativo
       (4, 4, 2) ▲           V2 1 ▼ (3, 1, –)
      ausente  5 ×                ○ 2  ativo
                 │                │ (2, 3, –)
        ativo  4 ○                │
       (4, 2, –) ▲                │
                 ╰───── V2 3 ─────╯

── Passo 10 de 28 · 31,510 ms ────────────────────────────────────────────────
4: recebe SEGUNDO 3 de 2; retransmissor (4, 2, 3)

        ativo  1 ○ ─ V2 4; V 4 ─▶ ○ 3  ativo
       (4, 4, 2) ▲           V2 1 ▼ (3, 1, –)
      ausente  5 ×                ○ 2  ativo
                 │                │ (2, 3, –)
retransmissor [4 ●]               │
       (4, 2, 3) ▲                │
                 ╰────────────────╯

── Passo 11 de 28 · 36,130 ms ────────────────────────────────────────────────
2: recebe SEGUNDO 1 de 3; (3, 3, 1); envia VALOR 3 para 4

        ativo  1 ○ ─ V2 4; V 4 ─▶ ○ 3  ativo
       (4, 4, 2) ▲                ▼ (3, 1, –)
      ausente  5 ×               [○ 2] ativo
                 │                │ (3, 3, 1)
retransmissor  4 ●                │
       (4, 2, 3) ▲                │
                 ╰───── V 3 ──────╯

── Passo 12 de 28 · 38,400 ms ────────────────────────────────────────────────
4: recebe VALOR 3 de 2; envia VALOR 3 para 1

        ativo  1 ○ ─ V2 4; V 4 ─▶ ○ 3  ativo
       (4, 4, 2) ▲                ▼ (3, 1, –)
      ausente  5 ×  V 3           ○ 2  ativo
                 │                │ (3, 3, 1)
retransmissor [4 ●]               │
       (4, 2, 3) ▲                │
                 ╰────────────────╯

── Passo 13 de 28 · 51,260 ms ────────────────────────────────────────────────
3: recebe SEGUNDO 4 de 1; retransmissor (3, 1, 4)

        ativo  1 ○ ──── V 4 ────▶[● 3] retransmissor
       (4, 4, 2) ▲                ▼ (3, 1, 4)
      ausente  5 ×  V 3           ○ 2  ativo
                 │                │ (3, 3, 1)
retransmissor  4 ●                │
       (4, 2, 3) ▲                │
                 ╰────────────────╯

── Passo 14 de 28 · 52,370 ms ────────────────────────────────────────────────
3: recebe VALOR 4 de 1; envia VALOR 4 para 2

        ativo  1 ○ ─────────────▶[● 3] retransmissor
       (4, 4, 2) ▲            V 4 ▼ (3, 1, 4)
      ausente  5 ×  V 3           ○ 2  ativo
                 │                │ (3, 3, 1)
retransmissor  4 ●                │
       (4, 2, 3) ▲                │
                 ╰────────────────╯

── Passo 15 de 28 · 65,120 ms ────────────────────────────────────────────────
1: recebe VALOR 3 de 4; (4, 3, –); envia SEGUNDO 3 para 3

        ativo [1 ○]──── V2 3 ───▶ ● 3  retransmissor
       (4, 3, –) ▲            V 4 ▼ (3, 1, 4)
      ausente  5 ×                ○ 2  ativo
                 │                │ (3, 3, 1)
retransmissor  4 ●                │
       (4, 2, 3) ▲                │
                 ╰────────────────╯

── Passo 16 de 28 · 74,390 ms ────────────────────────────────────────────────
2: recebe VALOR 4 de 3; (3, 4, –); envia SEGUNDO 4 para 4

        ativo  1 ○ ──── V2 3 ───▶ ● 3  retransmissor
       (4, 3, –) ▲                ▼ (3, 1, 4)
      ausente  5 ×               [○ 2] ativo
                 │                │ (3, 4, –)
retransmissor  4 ●                │
       (4, 2, 3) ▲                │
                 ╰───── V2 4 ─────╯

── Passo 17 de 28 · 80,000 ms ────────────────────────────────────────────────
4: recebe SEGUNDO 4 de 2; envia SEGUNDO 4 para 1

        ativo  1 ○ ──── V2 3 ───▶ ● 3  retransmissor
       (4, 3, –) ▲                ▼ (3, 1, 4)
      ausente  5 ×  V2 4          ○ 2  ativo
                 │                │ (3, 4, –)
retransmissor [4 ●]               │
       (4, 2, 3) ▲                │
                 ╰────────────────╯

── Passo 18 de 28 · 87,060 ms ────────────────────────────────────────────────
3: recebe SEGUNDO 3 de 1; envia SEGUNDO 3 para 2

        ativo  1 ○ ─────────────▶[● 3] retransmissor
       (4, 3, –) ▲           V2 3 ▼ (3, 1, 4)
      ausente  5 ×  V2 4          ○ 2  ativo
                 │                │ (3, 4, –)
retransmissor  4 ●                │
       (4, 2, 3) ▲                │
                 ╰────────────────╯

── Passo 19 de 28 · 91,070 ms ────────────────────────────────────────────────
1: recebe SEGUNDO 4 de 4; retransmissor (4, 3, 4)

retransmissor [1 ●]─────────────▶ ● 3  retransmissor
       (4, 3, 4) ▲           V2 3 ▼ (3, 1, 4)
      ausente  5 ×                ○ 2  ativo
                 │                │ (3, 4, –)
retransmissor  4 ●                │
       (4, 2, 3) ▲                │
                 ╰────────────────╯

── Passo 20 de 28 · 92,620 ms ────────────────────────────────────────────────
2: recebe SEGUNDO 3 de 3; (4, 4, 3); envia VALOR 4 para 4

retransmissor  1 ● ─────────────▶ ● 3  retransmissor
       (4, 3, 4) ▲                ▼ (3, 1, 4)
      ausente  5 ×               [○ 2] ativo
                 │                │ (4, 4, 3)
retransmissor  4 ●                │
       (4, 2, 3) ▲                │
                 ╰───── V 4 ──────╯

── Passo 21 de 28 · 110,340 ms ───────────────────────────────────────────────
4: recebe VALOR 4 de 2; envia VALOR 4 para 1

retransmissor  1 ● ─────────────▶ ● 3  retransmissor
       (4, 3, 4) ▲                ▼ (3, 1, 4)
      ausente  5 ×  V 4           ○ 2  ativo
                 │                │ (4, 4, 3)
retransmissor [4 ●]               │
       (4, 2, 3) ▲                │
                 ╰────────────────╯

── Passo 22 de 28 · 135,640 ms ───────────────────────────────────────────────
1: recebe VALOR 4 de 4; envia VALOR 4 para 3

retransmissor [1 ●]──── V 4 ────▶ ● 3  retransmissor
       (4, 3, 4) ▲                ▼ (3, 1, 4)
      ausente  5 ×                ○ 2  ativo
                 │                │ (4, 4, 3)
retransmissor  4 ●                │
       (4, 2, 3) ▲                │
                 ╰────────────────╯

── Passo 23 de 28 · 156,410 ms ───────────────────────────────────────────────
3: recebe VALOR 4 de 1; envia VALOR 4 para 2

retransmissor  1 ● ─────────────▶[● 3] retransmissor
       (4, 3, 4) ▲            V 4 ▼ (3, 1, 4)
      ausente  5 ×                ○ 2  ativo
                 │                │ (4, 4, 3)
retransmissor  4 ●                │
       (4, 2, 3) ▲                │
                 ╰────────────────╯

── Passo 24 de 28 · 174,410 ms ───────────────────────────────────────────────
2: recebe VALOR 4 de 3; segue 4; envia LÍDER 4 para 4

retransmissor  1 ● ─────────────▶ ● 3  retransmissor
       (4, 3, 4) ▲                ▼ (3, 1, 4)
      ausente  5 ×               [◎ 2] segue 4
                 │                │ (4, 4, –)
retransmissor  4 ●                │
       (4, 2, 3) ▲                │
                 ╰───── L 4 ──────╯

── Passo 25 de 28 · 193,230 ms ───────────────────────────────────────────────
4: recebe LÍDER 4 de 2; ★ coordenador; envia LÍDER 4 para 1

retransmissor  1 ● ─────────────▶ ● 3  retransmissor
       (4, 3, 4) ▲                ▼ (3, 1, 4)
      ausente  5 ×  L 4           ◎ 2  segue 4
                 │                │ (4, 4, –)
  coordenador [4 ★]               │
       (4, 2, 3) ▲                │
                 ╰────────────────╯

── Passo 26 de 28 · 203,300 ms ───────────────────────────────────────────────
1: recebe LÍDER 4 de 4; segue 4; envia LÍDER 4 para 3

      segue 4 [1 ◎]──── L 4 ────▶ ● 3  retransmissor
       (4, 3, 4) ▲                ▼ (3, 1, 4)
      ausente  5 ×                ◎ 2  segue 4
                 │                │ (4, 4, –)
  coordenador  4 ★                │
       (4, 2, 3) ▲                │
                 ╰────────────────╯

── Passo 27 de 28 · 209,110 ms ───────────────────────────────────────────────
3: recebe LÍDER 4 de 1; segue 4; envia LÍDER 4 para 2

      segue 4  1 ◎ ─────────────▶[◎ 3] segue 4
       (4, 3, 4) ▲            L 4 ▼ (3, 1, 4)
      ausente  5 ×                ◎ 2  segue 4
                 │                │ (4, 4, –)
  coordenador  4 ★                │
       (4, 2, 3) ▲                │
                 ╰────────────────╯

── Passo 28 de 28 · 212,350 ms ───────────────────────────────────────────────
2: recebe LÍDER 4 de 3

      segue 4  1 ◎ ─────────────▶ ◎ 3  segue 4
       (4, 3, 4) ▲                ▼ (3, 1, 4)
      ausente  5 ×               [◎ 2] segue 4
                 │                │ (4, 4, –)
  coordenador  4 ★                │
       (4, 2, 3) ▲                │
                 ╰────────────────╯

Legenda:  ◎ seguidor   ○ ativo   ● retransmissor   ★ coordenador
  V VALOR   V2 SEGUNDO   L LÍDER   J ENTRAR
  [ ]: o processo que age neste passo
  em cada seta: as mensagens a caminho, primeiro a que chega antes
  (d, e, f) ao lado de cada processo: suas variáveis
