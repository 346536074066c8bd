-- Cases of one test set with the same text and gold diagnosis as an earlier one, and cases whose
-- text is nearly that of an earlier one. Pairs are found by MinHash and then compared word by
-- word.
with cases as (
    select
        case_id,
        test_set,
        case_number,
        sha256(narrative || gold_diagnosis) as content_hash,
        narrative,
    from {{ ref('int_test_sets__cases') }}
),

copies as (
    select
        case_id,
        test_set,
        case_number,
        narrative,
        first_value(case_id) over (
            partition by test_set, content_hash order by case_number
        ) as first_case_id,
        count(*) over (partition by test_set, content_hash)::integer as n_copies,
    from cases
),

texts as (
    select
        case_id,
        test_set,
        case_number,
        -- numbers stand for the words: they compare faster
        list_distinct(
            list_transform(
                string_split({{ normalise_name("narrative") }}, ' '),
                lambda word: ('0x' || left(md5(word), 8))::bigint
            )
        ) as words,
    from copies
    where case_id = first_case_id
),

case_words as (
    select
        test_set,
        case_id,
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

-- words of the template and of every other record would put everybody into the same bands
telling_words as (
    select
        case_words.test_set,
        case_words.word,
    from case_words
    inner join set_sizes on case_words.test_set = set_sizes.test_set
    group by case_words.test_set, case_words.word, set_sizes.n_texts
    having count(*) <= greatest(20, {{ common_word_share() }} * set_sizes.n_texts)
),

signatures as (
    select
        case_words.case_id,
        {%- for i in range(minhash_bands() * minhash_rows()) %}
            min({{ minhash("case_words.word", i) }}) as hash_{{ i }},
        {%- endfor %}
    from case_words
    inner join telling_words
        on case_words.test_set = telling_words.test_set and case_words.word = telling_words.word
    group by case_words.case_id
),

-- within a band, texts stand in the order of the rest of their signatures: the more two of them
-- agree, the nearer. Where they agree in everything the order is another in every band
bands as (
    select
        case_id,
        unnest([
            {%- for band in range(minhash_bands()) %}
                {
                    band: {{ minhash_band(band) }},
                    place: {{ minhash_rest(band) }}
                }
                {%- if not loop.last %},{% endif %}
            {%- endfor %}
        ]) as band,
    from signatures
),

-- a text is compared with its neighbours only: a band that half a set shares would make more pairs
-- than any machine has time for
neighbours as (
    select
        texts.case_id,
        texts.case_number,
        list({ case_id: texts.case_id, case_number: texts.case_number }) over (
            partition by texts.test_set, bands.band.band
            order by bands.band.place, md5(bands.band.band || texts.case_id)
            rows between {{ near_duplicate_neighbours() }} preceding and 1 preceding
        ) as others,
    from bands
    inner join texts on bands.case_id = texts.case_id
),

neighbour_pairs as (
    select
        case_id,
        case_number,
        unnest(others) as other,
    from neighbours
),

pairs as (
    select distinct
        if(other.case_number < case_number, case_id, other.case_id) as case_id,
        if(other.case_number < case_number, other.case_id, case_id) as earlier_case_id,
    from neighbour_pairs
),

compared as (
    select
        pairs.case_id,
        pairs.earlier_case_id,
        {{ jaccard("later.words", "earlier.words") }} as similarity,
    from pairs
    inner join texts as later on pairs.case_id = later.case_id
    inner join texts as earlier on pairs.earlier_case_id = earlier.case_id
    -- texts of too different lengths cannot share so many
    where
        least(len(later.words), len(earlier.words))
        >= {{ near_duplicate_similarity() }} * greatest(len(later.words), len(earlier.words))
),

nearest as (
    select
        case_id,
        earlier_case_id,
        similarity,
    from compared
    where similarity >= {{ near_duplicate_similarity() }}
    qualify
        row_number() over (
            partition by case_id order by similarity desc, earlier_case_id asc
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
