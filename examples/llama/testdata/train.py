"""Trains a small Llama on the book of Genesis, and writes genesis.gguf, as llama.cpp's converter writes it, and
expected.json with what Hugging Face's model and Google's tokenizer give.

    pip install torch transformers sentencepiece gguf && python3 train.py genesis.txt.gz
"""
import gzip, io, json, sys

import gguf
import numpy
import sentencepiece
import torch
from gguf import GGMLQuantizationType as Type, quants
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(1)
text = gzip.open(sys.argv[1], "rt").read()
model_bytes = io.BytesIO()
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(text.split("\n")), model_writer=model_bytes, vocab_size=768, model_type="bpe",
    byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False, character_coverage=1.0)
tokenizer = sentencepiece.SentencePieceProcessor(model_proto=model_bytes.getvalue())

config = LlamaConfig(vocab_size=768, hidden_size=64, intermediate_size=192, num_hidden_layers=4, num_attention_heads=4,
                     num_key_value_heads=2, max_position_embeddings=256, rope_theta=10000.0, rms_norm_eps=1e-5,
                     tie_word_embeddings=True, attn_implementation="eager")
model = LlamaForCausalLM(config)
tokens = torch.tensor(tokenizer.encode(text))
steps, length, batch = 2500, 128, 16
optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.05)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, steps, pct_start=0.1)
for step in range(steps):
    start = torch.randint(0, len(tokens) - length - 1, (batch,))
    x = torch.stack([tokens[i:i + length] for i in start])
    loss = model(x, labels=x).loss
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    if step % 100 == 99:
        print(step + 1, round(loss.item(), 3), flush=True)

writer = gguf.GGUFWriter("genesis.gguf", "llama")
writer.add_name("genesis")
writer.add_block_count(config.num_hidden_layers)
writer.add_context_length(config.max_position_embeddings)
writer.add_embedding_length(config.hidden_size)
writer.add_feed_forward_length(config.intermediate_size)
writer.add_head_count(config.num_attention_heads)
writer.add_head_count_kv(config.num_key_value_heads)
writer.add_layer_norm_rms_eps(config.rms_norm_eps)
writer.add_rope_dimension_count(config.head_dim)
writer.add_rope_freq_base(config.rope_theta)
writer.add_tokenizer_model("llama")
pieces = range(tokenizer.vocab_size())
kind = lambda i: (gguf.TokenType.UNKNOWN if tokenizer.is_unknown(i) else gguf.TokenType.CONTROL if tokenizer.is_control(i)
                  else gguf.TokenType.BYTE if tokenizer.is_byte(i) else gguf.TokenType.NORMAL)
writer.add_token_list([tokenizer.id_to_piece(i) for i in pieces])
writer.add_token_scores([tokenizer.get_score(i) for i in pieces])
writer.add_token_types([kind(i) for i in pieces])
writer.add_bos_token_id(tokenizer.bos_id())
writer.add_eos_token_id(tokenizer.eos_id())
writer.add_unk_token_id(tokenizer.unk_id())
writer.add_add_bos_token(True)

NAMES = {"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
         "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
         "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}


def interleaved(rows, heads):
    """Rows of each head with pairs k and k + width/2 beside each other, as llama.cpp keeps queries and keys."""
    return rows.reshape(heads, 2, -1, rows.shape[-1]).swapaxes(1, 2).reshape(rows.shape)


state = model.state_dict()
for name, value in state.items():
    value = value.numpy()
    part = name.removeprefix("model.").removesuffix(".weight")
    if part == "lm_head":
        continue  # the table of tokens
    layer = part.split(".")[1] if part.startswith("layers.") else None
    inner = part.split(".", 2)[2] if layer else part
    if inner in ("self_attn.q_proj", "self_attn.k_proj"):
        heads = config.num_attention_heads if "q_proj" in inner else config.num_key_value_heads
        value = interleaved(value, heads)
    to = f"blk.{layer}.{NAMES[inner]}.weight" if layer else {"embed_tokens": "token_embd.weight", "norm": "output_norm.weight"}[part]
    if value.ndim == 1:
        writer.add_tensor(to, value)
        continue
    blocks = quants.quantize(value, Type.Q8_0)
    writer.add_tensor(to, blocks, raw_dtype=Type.Q8_0)
    rounded = quants.dequantize(blocks, Type.Q8_0)
    if inner in ("self_attn.q_proj", "self_attn.k_proj"):
        rounded = rounded.reshape(heads, -1, 2, rounded.shape[-1]).swapaxes(1, 2).reshape(rounded.shape)
    state[name].copy_(torch.tensor(rounded))
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()

model.eval()
prompt = "And God said unto Noah"
ids = [tokenizer.bos_id()] + tokenizer.encode(prompt)
with torch.no_grad():
    logits = model(torch.tensor([ids])).logits[0]
    written = model.generate(torch.tensor([ids]), max_new_tokens=40, do_sample=False, pad_token_id=0)[0].tolist()
texts = ["", "And", "  two  spaces ", "In the beginning", "naïve Ωmega 😀", "Jacob's\nsons", "zzzzqx", "And God said unto Noah, The end"]
json.dump({"prompt": prompt, "ids": ids, "logits": logits[-1].tolist(), "written": written,
           "text": tokenizer.decode(written), "tokens": {t: tokenizer.encode(t) for t in texts}},
          open("expected.json", "w"), indent=1)
print(tokenizer.decode(written))
