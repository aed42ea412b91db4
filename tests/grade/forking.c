/* forking.c: the bully election as a good student writes it in C, with a process for each connection.
 *
 *     forking [ID]
 *
 * A child reads one message, and passes it on through a pipe: so the state stays in the parent. One
 * more child pings the coordinator, and says through the same pipe when it is gone.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { answer_ms = 300, coordinator_ms = 400, ping_ms = 50, silence_ms = 400, most_others = 200 };

static long me;
static const char *directory;
static int events[2];              /* lines, each "KIND ID" */
static volatile long *coordinator; /* shared with the child that pings; 0: none */
static int electing, answered;
static long long deadline = -1;

static long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static struct sockaddr_un address_of(long id) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/%ld", directory, id);
  return address;
}

static void limit(int fd) {
  struct timeval time = {.tv_usec = silence_ms * 1000};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

/* A connection; -1 if there is no such process; -2 if it is not to be had in time. */
static int connect_to(long id) {
  struct sockaddr_un address = address_of(id);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  limit(fd);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
  int is_gone = errno == ECONNREFUSED || errno == ENOENT;
  close(fd);
  return is_gone ? -1 : -2;
}

/* 0 if there is no such process. */
static int say(const char *kind, long id) {
  char words[64];
  int fd = connect_to(id);
  if (fd == -1) return 0;
  if (fd < 0) return 1;
  snprintf(words, sizeof words, "%s;%ld", kind, me);
  if (write(fd, words, strlen(words)) < 0) perror("write");
  close(fd);
  return 1;
}

static int find_others(long *ids) {
  int count = 0;
  DIR *names = opendir(directory);
  for (struct dirent *name; names && (name = readdir(names));) {
    char *end;
    long id = strtol(name->d_name, &end, 10);
    if (*end == '\0' && id != me && count < most_others) ids[count++] = id;
  }
  if (names) closedir(names);
  return count;
}

static void win(void) {
  long ids[most_others];
  int count = find_others(ids);
  electing = 0;
  deadline = -1;
  *coordinator = me;
  for (int i = 0; i < count; ++i) {
    if (ids[i] < me) say("C", ids[i]);
  }
}

static void hold_election(void) {
  long ids[most_others];
  int count = find_others(ids), asked = 0;
  *coordinator = 0;
  electing = 1;
  answered = 0;
  for (int i = 0; i < count; ++i) {
    if (ids[i] > me) asked += say("E", ids[i]);
  }
  if (asked == 0) {
    win();
  } else {
    deadline = now_ms() + answer_ms;
  }
}

static void handle(const char *kind, long from) {
  if (strcmp(kind, "E") == 0 && from < me) {
    say("PE", from);
    if (!electing) hold_election();
  } else if (strcmp(kind, "PE") == 0 && electing) {
    answered = 1;
    deadline = now_ms() + coordinator_ms;
  } else if (strcmp(kind, "C") == 0 && from > me) {
    electing = 0;
    deadline = -1;
    *coordinator = from;
  } else if (strcmp(kind, "gone") == 0 && from == *coordinator) {
    hold_election();
  }
}

static void tell(const char *kind, long id) {
  char line[64];
  int size = snprintf(line, sizeof line, "%s %ld\n", kind, id);
  if (write(events[1], line, (size_t)size) < 0) _exit(1);
}

/* In a child: a hung process closes no connection. The pauses are the interval of the pings: they
   wait for no condition. */
static void ping_for_ever(pid_t parent) {
  for (; getppid() == parent; usleep(ping_ms * 1000)) {
    long id = *coordinator;
    if (id == 0 || id == me) continue;
    char words[64], byte;
    int fd = connect_to(id);
    int is_gone = fd < 0;
    if (fd >= 0) {
      snprintf(words, sizeof words, "1;%ld", me);
      if (write(fd, words, strlen(words)) < 0) is_gone = 1;
      shutdown(fd, SHUT_WR);
      is_gone = read(fd, &byte, 1) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
      close(fd);
    }
    if (!is_gone) continue;
    tell("gone", id);
    usleep(ping_ms * 1000);
  }
  _exit(0);
}

/* In a child: one message. */
static void read_one(int fd) {
  char words[256], kind[3], end;
  size_t size = 0;
  limit(fd);
  for (ssize_t got; size < sizeof words - 1; size += (size_t)got) {
    got = read(fd, words + size, sizeof words - 1 - size);
    if (got <= 0) break;
  }
  words[size] = '\0';
  unsigned long from;
  int fields = sscanf(words, "%2[A-Z];%lu%c", kind, &from, &end);
  if (fields == 2 || (fields == 3 && end == ';')) tell(kind, (long)from);
  _exit(0);
}

int main(int argc, char **argv) {
  me = argc > 1 ? atol(argv[1]) : (long)getpid();
  directory = getenv("BULLY_DIR") ? getenv("BULLY_DIR") : "/tmp/bully";
  signal(SIGPIPE, SIG_IGN);
  signal(SIGCHLD, SIG_IGN); /* no zombies */
  coordinator = mmap(NULL, sizeof *coordinator, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                     -1, 0);
  struct sockaddr_un address = address_of(me);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  unlink(address.sun_path);
  if (pipe(events) != 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
      listen(listener, 16) != 0) {
    perror(address.sun_path);
    return 1;
  }
  FILE *told = fdopen(events[0], "r");
  setvbuf(told, NULL, _IONBF, 0);
  pid_t self = getpid();
  if (fork() == 0) {
    close(listener);
    ping_for_ever(self);
  }
  hold_election();
  for (;;) {
    struct pollfd ready[] = {{listener, POLLIN, 0}, {events[0], POLLIN, 0}};
    long long left = deadline < 0 ? 1000 : deadline - now_ms();
    poll(ready, 2, left < 0 ? 0 : (int)left);
    if (ready[1].revents) {
      char line[64], kind[8];
      long from;
      if (fgets(line, sizeof line, told) && sscanf(line, "%7s %ld", kind, &from) == 2) {
        handle(kind, from);
      }
    }
    if (ready[0].revents) {
      int fd = accept(listener, NULL, NULL);
      if (fd >= 0 && fork() == 0) {
        close(listener);
        read_one(fd);
      }
      if (fd >= 0) close(fd);
    }
    if (deadline >= 0 && now_ms() >= deadline) {
      if (answered) {
        hold_election();
      } else {
        win();
      }
    }
  }
}
