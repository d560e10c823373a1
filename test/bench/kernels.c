/*
 * The yardstick: the same search as workers/wasm-kernel.ts, in C with the vector instructions of x86-64.
 *
 *     kernels NAME SECONDS     prints hashes a second; NAME is sse41, avx2 or avx512
 *     kernels list             prints the names that this processor runs
 *
 * Four, eight or sixteen nonces at a time over the fifth block of a header, midstate given, words 8 to 15 of the block
 * known to be zero, rejection on the top word of the hash.
 */
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const uint8_t SIGMA[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};
static const uint8_t MIXINGS[8][4] = {{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15},
                                      {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13}, {3, 4, 9, 14}};
static const uint32_t IV[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/* Defines search_NAME: how many of `count` nonces have a top word of at most `limit`. */
#define DEFINE_SEARCH(NAME, TARGET, LANES, V, SET1, ADD, XOR, ROT16, ROT12, ROT8, ROT7, RAMP, ANY)                     \
  __attribute__((target(TARGET), noinline)) static uint64_t search_##NAME(const uint32_t h[8], const uint32_t m[8],    \
                                                                          uint32_t first, uint32_t count,              \
                                                                          uint32_t limit) {                            \
    V words[16];                                                                                                       \
    for (int i = 0; i < 16; i++) words[i] = SET1(i < 8 ? (int)m[i] : 0);                                               \
    words[6] = ADD(SET1((int)first), RAMP);                                                                            \
    const V step = SET1(LANES), top = SET1((int)h[7]), most = SET1((int)limit);                                        \
    uint64_t hits = 0;                                                                                                 \
    for (uint32_t done = 0; done < count; done += LANES) {                                                             \
      V v[16];                                                                                                         \
      for (int i = 0; i < 8; i++) {                                                                                    \
        v[i] = SET1((int)h[i]);                                                                                        \
        v[i + 8] = SET1((int)(i == 4 ? IV[4] ^ 286 : i == 6 ? ~IV[6] : IV[i]));                                        \
      }                                                                                                                \
      _Pragma("GCC unroll 10") for (int r = 0; r < 10; r++) {                                                          \
        _Pragma("GCC unroll 8") for (int g = 0; g < 8; g++) {                                                          \
          const int a = MIXINGS[g][0], b = MIXINGS[g][1], c = MIXINGS[g][2], d = MIXINGS[g][3];                        \
          const int x = SIGMA[r][2 * g], y = SIGMA[r][2 * g + 1];                                                      \
          v[a] = ADD(v[a], v[b]);                                                                                      \
          if (x < 8) v[a] = ADD(v[a], words[x]);                                                                       \
          v[d] = ROT16(XOR(v[d], v[a]));                                                                               \
          v[c] = ADD(v[c], v[d]);                                                                                      \
          v[b] = ROT12(XOR(v[b], v[c]));                                                                               \
          v[a] = ADD(v[a], v[b]);                                                                                      \
          if (y < 8) v[a] = ADD(v[a], words[y]);                                                                       \
          v[d] = ROT8(XOR(v[d], v[a]));                                                                                \
          v[c] = ADD(v[c], v[d]);                                                                                      \
          v[b] = ROT7(XOR(v[b], v[c]));                                                                                \
        }                                                                                                              \
      }                                                                                                                \
      hits += ANY(XOR(XOR(v[7], v[15]), top), most);                                                                   \
      words[6] = ADD(words[6], step);                                                                                  \
    }                                                                                                                  \
    return hits;                                                                                                       \
  }

#define SHIFT_ROT128(x, n) _mm_or_si128(_mm_srli_epi32(x, n), _mm_slli_epi32(x, 32 - n))
#define SSE_ROT16(x) _mm_shuffle_epi8(x, _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13))
#define SSE_ROT8(x) _mm_shuffle_epi8(x, _mm_setr_epi8(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12))
#define SSE_ROT12(x) SHIFT_ROT128(x, 12)
#define SSE_ROT7(x) SHIFT_ROT128(x, 7)
#define SSE_ANY(x, most) __builtin_popcount(_mm_movemask_ps((__m128)_mm_cmpeq_epi32(_mm_min_epu32(x, most), x)))
DEFINE_SEARCH(sse41, "sse4.1,popcnt", 4, __m128i, _mm_set1_epi32, _mm_add_epi32, _mm_xor_si128, SSE_ROT16, SSE_ROT12,
              SSE_ROT8, SSE_ROT7, _mm_setr_epi32(0, 1, 2, 3), SSE_ANY)

#define SHIFT_ROT256(x, n) _mm256_or_si256(_mm256_srli_epi32(x, n), _mm256_slli_epi32(x, 32 - n))
#define AVX_ROT16(x)                                                                                                   \
  _mm256_shuffle_epi8(x, _mm256_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13, 2, 3, 0, 1, 6, 7, 4,   \
                                          5, 10, 11, 8, 9, 14, 15, 12, 13))
#define AVX_ROT8(x)                                                                                                    \
  _mm256_shuffle_epi8(x, _mm256_setr_epi8(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12, 1, 2, 3, 0, 5, 6, 7,   \
                                          4, 9, 10, 11, 8, 13, 14, 15, 12))
#define AVX_ROT12(x) SHIFT_ROT256(x, 12)
#define AVX_ROT7(x) SHIFT_ROT256(x, 7)
#define AVX_ANY(x, most)                                                                                               \
  __builtin_popcount(_mm256_movemask_ps((__m256)_mm256_cmpeq_epi32(_mm256_min_epu32(x, most), x)))
DEFINE_SEARCH(avx2, "avx2,popcnt", 8, __m256i, _mm256_set1_epi32, _mm256_add_epi32, _mm256_xor_si256, AVX_ROT16,
              AVX_ROT12, AVX_ROT8, AVX_ROT7, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), AVX_ANY)

#define WIDE_ROT16(x) _mm512_ror_epi32(x, 16)
#define WIDE_ROT12(x) _mm512_ror_epi32(x, 12)
#define WIDE_ROT8(x) _mm512_ror_epi32(x, 8)
#define WIDE_ROT7(x) _mm512_ror_epi32(x, 7)
#define WIDE_ANY(x, most) __builtin_popcount(_mm512_cmple_epu32_mask(x, most))
DEFINE_SEARCH(avx512, "avx512f,popcnt", 16, __m512i, _mm512_set1_epi32, _mm512_add_epi32, _mm512_xor_si512, WIDE_ROT16,
              WIDE_ROT12, WIDE_ROT8, WIDE_ROT7,
              _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), WIDE_ANY)

typedef uint64_t search_function(const uint32_t h[8], const uint32_t m[8], uint32_t, uint32_t, uint32_t);

static search_function *find(const char *name) {
  __builtin_cpu_init();
  if (!strcmp(name, "sse41") && __builtin_cpu_supports("sse4.1")) return search_sse41;
  if (!strcmp(name, "avx2") && __builtin_cpu_supports("avx2")) return search_avx2;
  if (!strcmp(name, "avx512") && __builtin_cpu_supports("avx512f")) return search_avx512;
  return NULL;
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
  static const char *NAMES[] = {"sse41", "avx2", "avx512"};
  if (argc == 2 && !strcmp(argv[1], "list")) {
    for (int i = 0; i < 3; i++)
      if (find(NAMES[i])) puts(NAMES[i]);
    return 0;
  }
  search_function *search = argc == 3 ? find(argv[1]) : NULL;
  if (!search) return 2;
  const double wanted = atof(argv[2]);
  uint32_t h[8], m[8];
  for (int i = 0; i < 8; i++) h[i] = IV[i] * 2654435761u, m[i] = IV[7 - i] * 40503u;
  const uint32_t chunk = 1u << 16;
  uint64_t hashes = 0, hits = 0;
  const double start = seconds_now();
  while (seconds_now() - start < wanted) {
    hits += search(h, m, (uint32_t)hashes, chunk, 0xff);
    hashes += chunk;
  }
  printf("%.0f %llu\n", (double)hashes / (seconds_now() - start), (unsigned long long)hits);
  return 0;
}
