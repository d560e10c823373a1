/*
 * The least that can be done: one job written to every socket by `send`, in a loop. Nothing is read.
 *
 *     send-loop CONNECTIONS BYTES
 *
 * Prints its port, takes so many connections, answers each as a WebSocket server would, and prints `ready`. With each line that
 * it reads it sends a text frame of BYTES to all of them, and prints when it began, in nanoseconds of CLOCK_MONOTONIC.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char UPGRADED[] = "HTTP/1.1 101 Switching Protocols\r\n\r\n";

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void send_all(int socket, const char *bytes, size_t length) {
  for (size_t sent = 0; sent < length;) {
    ssize_t more = send(socket, bytes + sent, length - sent, MSG_NOSIGNAL);
    if (more < 0) exit(3);
    sent += (size_t)more;
  }
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const int count = atoi(argv[1]), bytes = atoi(argv[2]), on = 1;
  int *sockets = calloc((size_t)count, sizeof *sockets), listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  if (!sockets || bind(listener, (struct sockaddr *)&address, size) || listen(listener, 4096)) return 3;
  getsockname(listener, (struct sockaddr *)&address, &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  for (int i = 0; i < count; i++) {
    sockets[i] = accept(listener, NULL, NULL);
    if (sockets[i] < 0) return 3;
    setsockopt(sockets[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    send_all(sockets[i], UPGRADED, sizeof UPGRADED - 1);
  }
  printf("ready\n");
  fflush(stdout);
  char *frame = malloc((size_t)bytes + 4), line[16];
  memset(frame, 'x', (size_t)bytes + 4);
  memcpy(frame, (char[]){(char)0x81, 126, (char)(bytes >> 8), (char)bytes}, 4);
  while (fgets(line, sizeof line, stdin)) {
    const long long started = now_ns();
    for (int i = 0; i < count; i++) send_all(sockets[i], frame, (size_t)bytes + 4);
    printf("%lld\n", started);
    fflush(stdout);
  }
  return 0;
}
