/* Hugging Face configs: published sizes give published parameter counts; what is odd is told where it stands. */
#include "model/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct model *must_load(const char *text)
{
	struct diagnostic d;
	struct model *m;

	if (model_load_bytes("config.json", text, strlen(text), &m, NULL, &d) != STATUS_OK)
		fail_msg("%s\n%s", d.text, text);
	return m;
}

/* Counts as the model cards give them, but for BERT's, which are with the head for masked words, and T5's 768 relative positions. */
static void published_sizes_give_published_counts(void **state)
{
	static const struct { const char *config; long long params; } models[] = {
		{ "{\"model_type\":\"gpt2\",\"n_embd\":768,\"n_layer\":12,\"n_head\":12,\"n_positions\":1024,\"vocab_size\":50257}", 124439808 },
		{ "{\"model_type\":\"gpt2\",\"n_embd\":1600,\"n_layer\":48,\"n_head\":25,\"n_positions\":1024,\"n_inner\":null,\"vocab_size\":50257}", 1557611200 },
		{ "{\"model_type\":\"llama\",\"hidden_size\":4096,\"num_hidden_layers\":32,\"num_attention_heads\":32,\"intermediate_size\":11008,\"vocab_size\":32000,\"max_position_embeddings\":4096}",
			6738415616 },
		{ "{\"model_type\":\"llama\",\"hidden_size\":8192,\"num_hidden_layers\":80,\"num_attention_heads\":64,\"num_key_value_heads\":8,\"intermediate_size\":28672,\"vocab_size\":32000,"
			"\"max_position_embeddings\":4096}", 68976648192 },
		{ "{\"model_type\":\"llama\",\"hidden_size\":4096,\"num_hidden_layers\":32,\"num_attention_heads\":32,\"num_key_value_heads\":8,\"intermediate_size\":14336,\"vocab_size\":128256,"
			"\"max_position_embeddings\":8192}", 8030261248 },
		{ "{\"model_type\":\"mistral\",\"hidden_size\":4096,\"num_hidden_layers\":32,\"num_attention_heads\":32,\"num_key_value_heads\":8,\"intermediate_size\":14336,\"vocab_size\":32000,"
			"\"max_position_embeddings\":4096}", 7241732096 },
		{ "{\"model_type\":\"qwen2\",\"hidden_size\":3584,\"num_hidden_layers\":28,\"num_attention_heads\":28,\"num_key_value_heads\":4,\"intermediate_size\":18944,\"vocab_size\":152064,"
			"\"max_position_embeddings\":4096,\"tie_word_embeddings\":false}", 7615616512 },
		{ "{\"model_type\":\"mixtral\",\"hidden_size\":4096,\"num_hidden_layers\":32,\"num_attention_heads\":32,\"num_key_value_heads\":8,\"intermediate_size\":14336,\"vocab_size\":32000,"
			"\"max_position_embeddings\":4096,\"num_local_experts\":8,\"num_experts_per_tok\":2}", 46702792704 },
		{ "{\"model_type\":\"opt\",\"hidden_size\":2048,\"num_hidden_layers\":24,\"num_attention_heads\":32,\"ffn_dim\":8192,\"vocab_size\":50272,\"max_position_embeddings\":2048}", 1315758080 },
		{ "{\"model_type\":\"opt\",\"hidden_size\":1024,\"num_hidden_layers\":24,\"num_attention_heads\":16,\"ffn_dim\":4096,\"vocab_size\":50272,\"max_position_embeddings\":2048,"
			"\"word_embed_proj_dim\":512,\"do_layer_norm_before\":false}", 331196416 },
		{ "{\"model_type\":\"bloom\",\"n_embed\":14336,\"n_layer\":70,\"n_head\":112,\"vocab_size\":250880,\"seq_length\":2048}", 176247271424 },
		{ "{\"model_type\":\"gpt_neox\",\"hidden_size\":4096,\"num_hidden_layers\":32,\"num_attention_heads\":32,\"intermediate_size\":16384,\"vocab_size\":50432,"
			"\"max_position_embeddings\":2048}", 6857302016 },
		{ "{\"model_type\":\"bert\",\"architectures\":[\"BertForMaskedLM\"],\"hidden_size\":768,\"num_hidden_layers\":12,\"num_attention_heads\":12,\"intermediate_size\":3072,\"vocab_size\":30522,"
			"\"max_position_embeddings\":512,\"type_vocab_size\":2}", 109514298 },
		{ "{\"model_type\":\"bert\",\"architectures\":[\"BertModel\"],\"hidden_size\":768,\"num_hidden_layers\":12,\"num_attention_heads\":12,\"intermediate_size\":3072,\"vocab_size\":30522,"
			"\"max_position_embeddings\":512,\"type_vocab_size\":2}", 109482240 },
		{ "{\"model_type\":\"t5\",\"d_model\":768,\"d_ff\":3072,\"d_kv\":64,\"num_heads\":12,\"num_layers\":12,\"vocab_size\":32128,\"feed_forward_proj\":\"relu\"}", 222903552 - 768 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		struct model *m = must_load(models[i].config), *again;
		struct text csv = { 0 };

		if (m->params != models[i].params)
			fail_msg("%s: %lld parameters", models[i].config, (long long)m->params);
		assert_string_equal(m->format, "huggingface");
		assert_int_equal(m->problems.total, 0);
		/* as our own CSV it is the same */
		model_write_csv(m, &csv);
		again = must_load(text_string(&csv));
		assert_true(again->params == m->params && again->macs == m->macs && again->count == m->count && again->problems.total == 0 && again->sequence == m->sequence);
		model_free(again);
		model_free(m);
		text_free(&csv);
	}
}

/* Llama 2 7B at 4096 positions, by hand: weights times positions, and QK' and AV of every head. */
static void work_is_counted_as_by_hand(void **state)
{
	struct model *m = must_load("{\"model_type\":\"llama\",\"hidden_size\":4096,\"num_hidden_layers\":32,\"num_attention_heads\":32,\"intermediate_size\":11008,\"vocab_size\":32000,"
		"\"max_position_embeddings\":4096}"), *shorter;
	const long long block = 4LL * 4096 * 4096 + 3LL * 4096 * 11008, head = 32000LL * 4096;
	struct diagnostic d;

	(void)state;
	assert_true(m->macs == 4096 * (32 * block + head) + 32 * 2LL * 4096 * 4096 * 4096);
	shorter = model_at_sequence(m, 1000, &d);
	assert_non_null(shorter);
	assert_true(shorter->macs == 1000 * (32 * block + head) + 32 * 2LL * 4096 * 1000 * 1000 && shorter->params == m->params && shorter->sequence == 1000);
	model_free(shorter);
	model_free(m);
}

/* Of 8 experts each position takes 2: all have weights, a quarter works. */
static void experts_have_weights_and_work(void **state)
{
	struct model *m = must_load("{\"model_type\":\"mixtral\",\"hidden_size\":64,\"num_hidden_layers\":1,\"num_attention_heads\":4,\"intermediate_size\":96,\"vocab_size\":100,\"max_position_embeddings\":32}");
	struct diagnostic d;
	int up = model_find(m, "b1_up", NULL, &d), down = model_find(m, "b1_down", NULL, &d);

	(void)state;
	assert_true(m->operators[up].weights == 8 * 64 * 96 && m->operators[up].macs == 32 * 2 * 64 * 96);
	assert_true(m->operators[down].weights == 8 * 64 * 96 && m->operators[down].macs == 32 * 2 * 64 * 96 && m->operators[down].in.ch == 2 * 96);
	model_free(m);
}

static void what_is_wrong_is_told(void **state)
{
#define LLAMA "{\n\"model_type\":\"llama\",\"num_hidden_layers\":2,\"intermediate_size\":96,\"vocab_size\":100,\n\"max_position_embeddings\":32,"
	static const struct { const char *config, *phrase; unsigned long line; } cases[] = {
		{ "{\"model_type\":\"whale\",\"hidden_size\":3}", "understood of this file: hidden_size", 1 }, { "{\"architectures\":[\"X\"]}", "without a \"model_type\"", 0 },
		{ LLAMA "\"num_attention_heads\":4}", "\"hidden_size\" is missing", 0 }, { LLAMA "\n\"num_attention_heads\":4,\"hidden_size\":66}", "4 heads do not divide 66", 4 },
		{ LLAMA "\"num_attention_heads\":4,\n\"hidden_size\":\"64\"}", "is \"64\"; a llama has there", 4 }, { LLAMA "\"num_attention_heads\":4,\"hidden_size\":64,\n\"num_key_value_heads\":3}", "do not divide 4 heads", 4 },
		{ LLAMA "\"num_attention_heads\":4,\"hidden_size\":64,\n\"model_type\":\"llama\"}", "no JSON", 4 }, { LLAMA "\"hidden_size\":64", "no JSON", 3 },
		{ LLAMA "\"num_attention_heads\":4,\"hidden_size\":2e9}", "is 2000000000.0; a llama", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct diagnostic d;
		struct model *m;

		assert_int_equal(model_load_bytes("config.json", cases[i].config, strlen(cases[i].config), &m, NULL, &d), STATUS_INPUT);
		if (strstr(d.text, cases[i].phrase) == NULL || d.line != cases[i].line)
			fail_msg("%s: line %lu, %s", cases[i].config, d.line, d.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_sizes_give_published_counts),
		cmocka_unit_test(work_is_counted_as_by_hand),
		cmocka_unit_test(experts_have_weights_and_work),
		cmocka_unit_test(what_is_wrong_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
