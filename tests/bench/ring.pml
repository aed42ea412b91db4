/* Extrema finding in a unidirectional ring [DKR82], for spin's rate beside the explorer's. */

#ifndef N
#define N 6
#endif

mtype = { first, second, leader };

chan link[N] = [2 * N] of { mtype, byte };
byte leaders = 0;

proctype node(chan in, out; byte d) {
  byte value, e;
  bool contends = true;
  bool announced = false;

  out!first(d);
  do
  :: in?first(value) ->
       if
       :: contends && value != d -> e = value; out!second(value)
       :: contends && value == d -> announced = true; leaders++; assert(leaders == 1); out!leader(d)
       :: !contends -> out!first(value)
       fi
  :: in?second(value) ->
       if
       :: contends && e > d && e > value -> d = e; out!first(d)
       :: contends && !(e > d && e > value) -> contends = false
       :: !contends -> out!second(value)
       fi
  :: in?leader(value) ->
       if
       :: announced -> break
       :: !announced -> out!leader(value); break
       fi
  od
}

init {
  byte i = 0;
  atomic {
    do
    :: i < N -> run node(link[i], link[(i + 1) % N], 1 + (N - i + 1) % N); i++
    :: i == N -> break
    od
  }
}

