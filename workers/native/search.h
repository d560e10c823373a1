/*
 * The search of workers/wasm-kernel.ts with the vector instructions of x86-64: four, eight or sixteen nonces at a time.
 *
 * Included by the native kernel, which leaves SSE4.1 to WebAssembly, and by the yardstick of the benchmark. Each function is compiled for its own
 * instructions, so a program that holds all three runs everywhere; who calls one asks the processor first.
 */
#include <immintrin.h>
#include <stdint.h>

/* What a header gives; the same for every nonce of a call. */
struct last_block {
  /* After the first three mixings, which the counted word does not reach. */
  uint32_t state[16];
  /* Of the last block; the counted one is ignored, and those after the eighth are zero. */
  uint32_t words[8];
  /* Word 7 of the midstate. */
  uint32_t top;
  /* The most that the top word of a candidate's hash may be. */
  uint32_t limit;
};

#define COUNTED_WORD 6
#define MIXINGS_DONE 3

static const uint8_t SIGMA[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};
static const uint8_t MIXINGS[8][4] = {{0, 4, 8, 12},  {1, 5, 9, 13},  {2, 6, 10, 14}, {3, 7, 11, 15},
                                      {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13},  {3, 4, 9, 14}};

/*
 * Defines search_NAME: the first index below `count` whose hash has a top word of at most the limit, or `count`.
 * Index i stands for the counted word first + i * step.
 */
#define DEFINE_SEARCH(NAME, TARGET, LANES, V, SET1, LOAD, ADD, XOR, ROT16, ROT12, ROT8, ROT7, AT_MOST)                 \
  __attribute__((target(TARGET), noinline)) static uint32_t search_##NAME(                                             \
      const struct last_block *block, uint32_t first, uint32_t step, uint32_t count) {                                 \
    uint32_t start[LANES];                                                                                             \
    for (uint32_t lane = 0; lane < LANES; lane++) start[lane] = first + lane * step;                                   \
    V words[8];                                                                                                        \
    for (int i = 0; i < 8; i++) words[i] = SET1((int)block->words[i]);                                                 \
    words[COUNTED_WORD] = LOAD((const void *)start);                                                                   \
    const V stride = SET1((int)(LANES * step)), top = SET1((int)block->top), limit = SET1((int)block->limit);          \
    for (uint32_t done = 0; done < count; done += LANES) {                                                             \
      V v[16];                                                                                                         \
      for (int i = 0; i < 16; i++) v[i] = SET1((int)block->state[i]);                                                  \
      _Pragma("GCC unroll 10") for (int r = 0; r < 10; r++) {                                                          \
        _Pragma("GCC unroll 8") for (int g = r == 0 ? MIXINGS_DONE : 0; g < 8; g++) {                                  \
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
      const uint32_t lanes = AT_MOST(XOR(XOR(v[7], v[15]), top), limit);                                               \
      if (lanes) {                                                                                                     \
        const uint32_t index = done + (uint32_t)__builtin_ctz(lanes);                                                  \
        return index < count ? index : count;                                                                          \
      }                                                                                                                \
      words[COUNTED_WORD] = ADD(words[COUNTED_WORD], stride);                                                          \
    }                                                                                                                  \
    return count;                                                                                                      \
  }

#define SHIFT_ROT128(x, n) _mm_or_si128(_mm_srli_epi32(x, n), _mm_slli_epi32(x, 32 - n))
#define SSE_ROT16(x) _mm_shuffle_epi8(x, _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13))
#define SSE_ROT8(x) _mm_shuffle_epi8(x, _mm_setr_epi8(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12))
#define SSE_ROT12(x) SHIFT_ROT128(x, 12)
#define SSE_ROT7(x) SHIFT_ROT128(x, 7)
#define SSE_LOAD(p) _mm_loadu_si128((const __m128i *)(p))
#define SSE_AT_MOST(x, most) (uint32_t)_mm_movemask_ps((__m128)_mm_cmpeq_epi32(_mm_min_epu32(x, most), x))
DEFINE_SEARCH(sse41, "sse4.1", 4, __m128i, _mm_set1_epi32, SSE_LOAD, _mm_add_epi32, _mm_xor_si128, SSE_ROT16,
              SSE_ROT12, SSE_ROT8, SSE_ROT7, SSE_AT_MOST)

#define SHIFT_ROT256(x, n) _mm256_or_si256(_mm256_srli_epi32(x, n), _mm256_slli_epi32(x, 32 - n))
#define AVX_ROT16(x)                                                                                                   \
  _mm256_shuffle_epi8(x, _mm256_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13, 2, 3, 0, 1, 6, 7, 4,   \
                                          5, 10, 11, 8, 9, 14, 15, 12, 13))
#define AVX_ROT8(x)                                                                                                    \
  _mm256_shuffle_epi8(x, _mm256_setr_epi8(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12, 1, 2, 3, 0, 5, 6, 7,   \
                                          4, 9, 10, 11, 8, 13, 14, 15, 12))
#define AVX_ROT12(x) SHIFT_ROT256(x, 12)
#define AVX_ROT7(x) SHIFT_ROT256(x, 7)
#define AVX_LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define AVX_AT_MOST(x, most)                                                                                           \
  (uint32_t) _mm256_movemask_ps((__m256)_mm256_cmpeq_epi32(_mm256_min_epu32(x, most), x))
DEFINE_SEARCH(avx2, "avx2", 8, __m256i, _mm256_set1_epi32, AVX_LOAD, _mm256_add_epi32, _mm256_xor_si256, AVX_ROT16,
              AVX_ROT12, AVX_ROT8, AVX_ROT7, AVX_AT_MOST)

#define WIDE_ROT16(x) _mm512_ror_epi32(x, 16)
#define WIDE_ROT12(x) _mm512_ror_epi32(x, 12)
#define WIDE_ROT8(x) _mm512_ror_epi32(x, 8)
#define WIDE_ROT7(x) _mm512_ror_epi32(x, 7)
#define WIDE_LOAD(p) _mm512_loadu_si512(p)
#define WIDE_AT_MOST(x, most) (uint32_t) _mm512_cmple_epu32_mask(x, most)
DEFINE_SEARCH(avx512, "avx512f", 16, __m512i, _mm512_set1_epi32, WIDE_LOAD, _mm512_add_epi32, _mm512_xor_si512,
              WIDE_ROT16, WIDE_ROT12, WIDE_ROT8, WIDE_ROT7, WIDE_AT_MOST)

typedef uint32_t search_function(const struct last_block *, uint32_t first, uint32_t step, uint32_t count);

/* By name; NULL when this processor does not run it, or there is none of this name. */
static search_function *find_search(const char *name) {
  __builtin_cpu_init();
  if (!__builtin_strcmp(name, "sse41") && __builtin_cpu_supports("sse4.1")) return search_sse41;
  if (!__builtin_strcmp(name, "avx2") && __builtin_cpu_supports("avx2")) return search_avx2;
  if (!__builtin_strcmp(name, "avx512") && __builtin_cpu_supports("avx512f")) return search_avx512;
  return 0;
}
