/*
 * The native kernel as a Node.js addon: exports `avx2` and `avx512`, where this processor has these vector instructions:
 *
 *     search(block, first, step, count) -> index of the first candidate, or count
 *
 * block is an Uint32Array with the fields of struct last_block. The few functions of Node-API that are needed are
 * declared here, since they never change and Node.js often comes without its headers. Nothing is kept between calls,
 * so any number of threads may use it.
 */
#include <stdbool.h>
#include <stddef.h>

#include "search.h"

typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);

#define NAPI_OK 0
#define NAPI_UINT32_ARRAY 6
#define NAPI_AUTO_LENGTH ((size_t)-1)

extern int napi_get_cb_info(napi_env, napi_callback_info, size_t *argc, napi_value *argv, napi_value *self, void **data);
extern int napi_get_typedarray_info(napi_env, napi_value, int *type, size_t *length, void **data, napi_value *buffer,
                                    size_t *offset);
extern int napi_get_value_uint32(napi_env, napi_value, uint32_t *);
extern int napi_create_uint32(napi_env, uint32_t, napi_value *);
extern int napi_create_function(napi_env, const char *name, size_t length, napi_callback, void *data, napi_value *);
extern int napi_set_named_property(napi_env, napi_value object, const char *name, napi_value);
extern int napi_throw_type_error(napi_env, const char *code, const char *message);

static napi_value search(napi_env env, napi_callback_info info) {
  size_t argc = 4, length = 0;
  napi_value argv[4], result = NULL;
  void *function = NULL, *block = NULL;
  int type = -1;
  uint32_t first, step, count;
  const bool good = napi_get_cb_info(env, info, &argc, argv, NULL, &function) == NAPI_OK && argc == 4 &&
                    napi_get_typedarray_info(env, argv[0], &type, &length, &block, NULL, NULL) == NAPI_OK &&
                    type == NAPI_UINT32_ARRAY && length * sizeof(uint32_t) == sizeof(struct last_block) &&
                    napi_get_value_uint32(env, argv[1], &first) == NAPI_OK &&
                    napi_get_value_uint32(env, argv[2], &step) == NAPI_OK &&
                    napi_get_value_uint32(env, argv[3], &count) == NAPI_OK;
  if (!good) {
    napi_throw_type_error(env, NULL, "search(Uint32Array(26), first, step, count)");
    return NULL;
  }
  napi_create_uint32(env, ((search_function *)function)(block, first, step, count), &result);
  return result;
}

__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  static const char *const NAMES[] = {"avx2", "avx512"};
  for (int i = 0; i < 2; i++) {
    search_function *function = find_search(NAMES[i]);
    napi_value value;
    if (!function) continue;
    if (napi_create_function(env, NAMES[i], NAPI_AUTO_LENGTH, search, (void *)function, &value) != NAPI_OK) return NULL;
    if (napi_set_named_property(env, exports, NAMES[i], value) != NAPI_OK) return NULL;
  }
  return exports;
}
