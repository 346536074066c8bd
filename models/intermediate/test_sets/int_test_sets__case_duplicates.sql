-- Cases of one test set that repeat an earlier one, exactly or nearly. Comparing every text with
-- every other takes hours in a large set. So each text gets a signature of a few hashes (MinHash,
-- Broder 1997) that nearly equal texts share in part; only texts that share a part of it meet, and
-- only those that meet are compared word by word.
with cases as (
    select * from {{ ref('dim_case') }}
),

copies as (
    select
        *,
        first_value(case_id) over (
            partition by test_set, content_hash order by case_number
        ) as first_case_id,
        count(*) over (partition by test_set, content_hash)::integer as n_copies,
    from cases
),

-- one of each text, numbered in the order of its set: of two texts the lower number is the earlier
texts as (
    select
        row_number() over (order by test_set, case_number)::integer as text_number,
        case_id,
        test_set,
        -- words are replaced by numbers, which compare faster
        list_distinct(
            list_transform(
                string_split({{ normalise_name("narrative") }}, ' '),
                lambda word: ('0x' || left(md5(word), 8))::bigint
            )
        ) as words,
    from copies
    where case_id = first_case_id
),

text_words as (
    select
        text_number,
        test_set,
        unnest(words) as word,
    from texts
),

set_sizes as (
    select
        test_set,
        count(*) as n_texts,
    from texts
    group by all
),

-- words of the template, which every record has, would put all texts into the same bands
telling_words as (
    select
        text_words.test_set,
        text_words.word,
    from text_words
    inner join set_sizes on text_words.test_set = set_sizes.test_set
    group by text_words.test_set, text_words.word, set_sizes.n_texts
    having count(*) <= greatest(20, {{ common_word_share() }} * set_sizes.n_texts)
),

sorted_words as (
    select
        text_words.text_number,
        text_words.word,
        telling_words.word is not null as is_telling,
    from text_words
    left join telling_words
        on text_words.test_set = telling_words.test_set and text_words.word = telling_words.word
),

-- where most words are common, two texts may share nearly all words and no distinctive one
plain_texts as (
    select text_number
    from sorted_words
    group by text_number
    having count(*) filter (where is_telling) < 0.5 * count(*)
),

signed_words as (
    select
        *,
        'telling' as kind,
    from sorted_words
    where is_telling
    union all by name
    select
        sorted_words.*,
        'every' as kind,
    from sorted_words
    semi join plain_texts on sorted_words.text_number = plain_texts.text_number
),

signatures as (
    select
        text_number,
        kind,
        {%- for i in range(minhash_bands() * minhash_rows()) %}
            min({{ minhash("word", i) }}) as hash_{{ i }},
        {%- endfor %}
    from signed_words
    group by text_number, kind
),

-- within a band, texts are ordered by the rest of their signatures: the more two of them agree, the
-- closer they are. Equal signatures are shuffled in each band anew, to meet other neighbours
bands as (
    select
        text_number,
        kind,
        unnest([
            {%- for band in range(minhash_bands()) %}
                {
                    band: {{ minhash_band(band) }},
                    rest: {{ minhash_rest(band) }}
                }
                {%- if not loop.last %},{% endif %}
            {%- endfor %}
        ]) as band,
    from signatures
),

-- a text meets only its neighbours: a band that half a set shares would make too many pairs
neighbours as (
    select
        texts.text_number,
        list(texts.text_number) over (
            partition by texts.test_set, bands.kind, bands.band.band
            order by bands.band.rest, md5(bands.band.band || texts.case_id)
            rows between {{ near_duplicate_neighbours() }} preceding and 1 preceding
        ) as others,
    from bands
    inner join texts on bands.text_number = texts.text_number
),

neighbour_pairs as (
    select
        text_number,
        unnest(others) as other,
    from neighbours
),

-- it is compared, word by word, with the earlier ones that it met most often
pairs as (
    select
        greatest(text_number, other) as later_number,
        least(text_number, other) as earlier_number,
    from neighbour_pairs
    group by later_number, earlier_number
    qualify
        row_number() over (partition by later_number order by count(*) desc, earlier_number asc)
        <= {{ near_duplicate_neighbours() }}
),

-- materialised: what two lists share would be counted again in every place that names it
compared as materialized (
    select
        later.case_id,
        earlier.case_id as earlier_case_id,
        pairs.earlier_number,
        len(later.words) + len(earlier.words) as n_words,
        len(list_intersect(later.words, earlier.words)) as n_shared,
    from pairs
    inner join texts as later on pairs.later_number = later.text_number
    inner join texts as earlier on pairs.earlier_number = earlier.text_number
    -- texts of too different lengths cannot share so many
    where
        least(len(later.words), len(earlier.words))
        >= {{ near_duplicate_similarity() }} * greatest(len(later.words), len(earlier.words))
),

nearest as (
    select
        *,
        {{ jaccard("n_shared", "n_words") }} as similarity,
    from compared
    where similarity >= {{ near_duplicate_similarity() }}
    qualify
        row_number() over (
            partition by case_id order by similarity desc, earlier_number asc
        ) = 1
),

final as (
    select
        copies.case_id,
        case when copies.case_id != copies.first_case_id then copies.first_case_id end
            as duplicate_of_case_id,
        nearest.earlier_case_id as near_duplicate_of_case_id,
        round(nearest.similarity, 4) as similarity,
        copies.n_copies,
    from copies
    left join nearest on copies.case_id = nearest.case_id
)

select * from final
