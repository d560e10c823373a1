/*
 * The yardstick: the native search by itself, in a program of its own.
 *
 *     kernels list             prints the names that this processor runs
 *     kernels NAME SECONDS     prints hashes a second; NAME is sse41, avx2 or avx512
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../workers/native/search.h"

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
  static const char *NAMES[] = {"sse41", "avx2", "avx512"};
  if (argc != 3) {
    for (int i = 0; i < 3; i++)
      if (find_search(NAMES[i])) puts(NAMES[i]);
    return 0;
  }
  search_function *search = find_search(argv[1]);
  if (!search) return 2;
  struct last_block block = {.limit = 0};
  for (uint32_t i = 0; i < 16; i++) block.state[i] = (i + 1) * 2654435761u;
  for (uint32_t i = 0; i < 8; i++) block.words[i] = (i + 1) * 40503u;
  const uint32_t chunk = 1u << 16;
  const double start = seconds_now(), wanted = atof(argv[2]);
  uint64_t hashes = 0;
  while (seconds_now() - start < wanted) {
    for (uint32_t done = 0; done < chunk;) done += search(&block, (uint32_t)hashes + done, 1, chunk - done) + 1;
    hashes += chunk;
  }
  printf("%.0f\n", (double)hashes / (seconds_now() - start));
  return 0;
}
