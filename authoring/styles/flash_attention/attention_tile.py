"""A tile of attention by other kernels, where Triton is installed."""

import importlib.util

import torch

STYLES = {}

if importlib.util.find_spec("triton"):
    import triton

    from authoring.styles.flash_attention import attention_kernels as kernels

    def all_keys_at_once(query, key, value, tile_queries, tile_keys, causal):
        heads, queries, width = query.shape
        keys = key.size(1)
        results = [torch.empty_like(query), torch.empty(heads, queries)]
        kernels.all_keys_at_once[triton.cdiv(queries, tile_queries), heads](
            query, key, value, *results, queries, keys, 1 / width**0.5,
            CAUSAL=causal, WIDTH=width, TILE_QUERIES=tile_queries,
            BLOCK=triton.next_power_of_2(keys),
        )  # fmt: skip
        return results

    def query_by_query(query, key, value, tile_queries, tile_keys=16, causal=False):
        output, lse = torch.empty_like(query), torch.empty(query.shape[:2])
        heads, queries, width = query.shape
        kernels.query_by_query[(queries, heads)](
            query, key, value, output, lse, queries, key.shape[1], 1 / width**0.5,
            causal, width, tile_keys,
        )  # fmt: skip
        return output, lse

    class KeysByQueries:
        """A callable that numbers its programs along one axis."""

        def __call__(self, query, key, value, tile_queries, tile_keys, causal):
            heads, queries, width = query.shape
            output, lse = query.new_empty(query.shape), query.new_empty(heads, queries)
            kernels.keys_by_queries[(heads * triton.cdiv(queries, tile_queries),)](
                query, key, value, output, lse, heads, queries, key.shape[1], width**-0.5,
                causal, width, tile_queries, tile_keys,
            )  # fmt: skip
            return output, lse

    STYLES["flash.attention_tile"] = (all_keys_at_once, query_by_query, KeysByQueries())
