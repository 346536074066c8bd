{#- Two narratives are near duplicates from this overlap of their words on (Jaccard). -#}
{% macro near_duplicate_similarity() -%}
    0.9
{%- endmacro %}

{#- Shared words over all words of two texts, from how many they share and how many they have
    together, none counted twice within a text; 0 to 1 (Jaccard 1901). -#}
{% macro jaccard(n_shared, n_words) -%}
    {{ n_shared }}::double / nullif({{ n_words }} - {{ n_shared }}, 0)
{%- endmacro %}

{#- Number of hashes and of hashes per band that find near duplicates (MinHash, Broder 1997): at a
    Jaccard of 0.9 a pair shares one of eight bands of three with probability 1 - (1 - 0.9^3)^8 >
    0.9999. -#}
{% macro minhash_bands() %}{{ return(8) }}{% endmacro %}
{% macro minhash_rows() %}{{ return(3) }}{% endmacro %}

{#- The i-th of a family of hash functions over a 32-bit number, modulo the largest 32-bit
    prime. -#}
{% macro minhash(number, i) -%}
    ({{ number }} * {{ 2 * (7919 * (i + 1)) + 1 }} + {{ 104729 * (i + 1) }}) % 4294967291
{%- endmacro %}

{#- One band of a signature: its number and the hashes in it, as one text. -#}
{% macro minhash_band(band) -%}
    '{{ band }}'
    {%- for row in range(minhash_rows()) %} || ':' || hash_{{ band * minhash_rows() + row }}{% endfor %}
{%- endmacro %}

{#- What follows a band in its signature, read on from the beginning after the end, as a list. -#}
{% macro minhash_rest(band) -%}
    {%- set n_hashes = minhash_bands() * minhash_rows() -%}
    [
        {%- for step in range(minhash_rows(), n_hashes) -%}
            hash_{{ (band * minhash_rows() + step) % n_hashes }}
            {%- if not loop.last %}, {% endif %}
        {%- endfor -%}
    ]
{%- endmacro %}

{#- How many earlier texts a text meets in every band, and with how many of those it is then
    compared. -#}
{% macro near_duplicate_neighbours() %}{{ return(10) }}{% endmacro %}

{#- Words in more than this share of a set's texts are too common to tell texts apart. -#}
{% macro common_word_share() -%}
    0.05
{%- endmacro %}
