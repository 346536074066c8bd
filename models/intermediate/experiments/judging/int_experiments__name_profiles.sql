-- Names are compared by the meaning of their words and by how informative each of them is.
with readings as (
    select unnest(readings) as item,
    from {{ ref('int_experiments__reading_keys') }}
),

-- the extension codes of ICD-10-CM distinguish encounters, not diseases
known_names as (
    select
        aliases.alias_normalised as name,
        bool_or(aliases.vocabulary = 'disease') as is_disease,
        bool_or(aliases.language = 'en') as is_english,
    from {{ ref('dim_concept_alias') }} as aliases
    left join {{ ref('dim_icd10_code') }} as codes on aliases.concept_id = codes.code
    where
        aliases.scope in ('preferred', 'exact', 'inclusion')
        and codes.kind is distinct from 'extension'
    group by all
),

every_name as (
    select
        name,
        true as is_known,
        is_disease,
        is_english,
    from known_names
    {%- for name, origin in [
        ("item.reading", "readings"),
        ("gold_name", ref("int_experiments__gold_names")),
        (normalise_name("unnest(string_split(names, '|'))"), ref("disease_families")),
    ] %}
        union all
        select
            {{ name }} as name,
            false as is_known,
            false as is_disease,
            false as is_english,
        from {{ origin }}
    {%- endfor %}
),

-- a number stands for a name of fifty letters in a million rows of words
names as (
    select
        name,
        row_number() over (order by name)::integer as name_number,
        bool_or(is_known) as is_known,
        bool_or(is_disease) as is_disease,
        bool_or(is_english) as is_english,
    from every_name
    group by name
),

registry as (
    select
        *,
        list_transform(string_split(axis_values, '|'), lambda v: axis || '=' || v) as axes,
    from {{ ref('name_words') }}
),

written as (
    select
        name_number,
        is_known,
        is_disease,
        is_english,
        unnest({{ words_of_name("name") }}) as written_word,
    from names
),

-- how many names have a word, and how many English ones
word_counts as (
    select
        written_word,
        count(*) filter (where is_english) as n_english_names,
    from written
    group by all
),

english_words as (
    select
        written_word,
        {{ singular("written_word") }} as singular,
        n_english_names as n_names,
    from word_counts
    where n_english_names > 0
),

skeletons as (
    select
        {{ latin_skeleton("singular") }} as skeleton,
        arg_max(written_word, (n_names, written_word)) as english_word,
    from english_words
    group by all
),

-- a word that no English name has is the English one of the same Greek or Latin form (colecistitis)
foreign_words as (
    select
        written_word,
        {{ singular("written_word") }} as singular,
        {{ latin_skeleton("singular") }} as skeleton,
    from word_counts
    anti join registry on word_counts.written_word = registry.word
    where
        n_english_names = 0
        and length(written_word) >= {{ parameter('skeleton_letters') }}
),

spelt as (
    select
        word_counts.written_word,
        coalesce(skeletons.english_word, word_counts.written_word) as read_word,
        {{ singular("read_word") }} as singular,
    from word_counts
    left join foreign_words using (written_word)
    left join skeletons using (skeleton)
    where word_counts.written_word != ''
),

-- a word is looked up as written and then without its plural
meanings as (
    select
        spelt.written_word,
        coalesce(as_written.same_as, as_singular.same_as, spelt.singular) as word,
        coalesce(as_written.kind, as_singular.kind) as kind,
        coalesce(as_written.axes, as_singular.axes, []) as axes,
    from spelt
    left join registry as as_written on spelt.read_word = as_written.word
    left join registry as as_singular on spelt.singular = as_singular.word
),

words as (
    select
        written.name_number,
        written.is_known as is_of_known_name,
        written.is_disease as is_of_disease,
        meanings.word,
        case
            when meanings.kind = 'mark' or {{ is_series_mark("meanings.word") }} then 'mark'
            when meanings.kind = 'qualifier' then 'qualifier'
            else 'word'
        end as kind,
        bool_or(len(meanings.axes) > 0) as is_on_axis,
    from written
    inner join meanings using (written_word)
    where meanings.kind is distinct from 'stop'
    group by all
),

-- one word in ten says on which axis its name lies
axes as (
    select
        written.name_number,
        list_sort(list_distinct(flatten(list(meanings.axes)))) as axis_values,
    from written
    inner join meanings using (written_word)
    where
        meanings.kind is distinct from 'stop'
        and len(meanings.axes) > 0
    group by all
),

sizes as (
    select
        count(*) as n_names,
        count(*) filter (where is_disease) as n_disease_names,
    from known_names
),

vocabulary as (
    select
        words.word,
        count(distinct words.name_number) as n_names,
        count(distinct words.name_number) filter (where words.is_of_disease) as n_disease_names,
    from words
    where words.is_of_known_name
    group by all
),

-- a word that is rare among disease names weighs much, one in every second name little. A word that
-- no disease name has is weighed among all names, and one that no name has as the rarest
weights as (
    select distinct
        words.word,
        round(
            coalesce(
                case
                    when vocabulary.n_disease_names > 0
                        then ln(sizes.n_disease_names / vocabulary.n_disease_names)
                    else least(ln(sizes.n_names / vocabulary.n_names), ln(sizes.n_disease_names))
                end,
                ln(sizes.n_disease_names)
            ),
            9
        ) as weight,
        vocabulary.word is not null as is_known,
    from words
    cross join sizes
    left join vocabulary using (word)
),

-- sorted behind the aggregates, which takes half the time of sorting in them
profiles as (
    select
        words.name_number,
        list_sort(list(weights.word) filter (where words.kind = 'mark')) as marks,
        list_sort(
            list(weights.word) filter (where words.kind = 'qualifier' and not words.is_on_axis)
        ) as qualifiers,
        coalesce(
            list_sort(
                list({ word: weights.word, weight: weights.weight, is_known: weights.is_known })
                filter (where words.kind = 'word')
            ),
            []
        ) as words,
        coalesce(round(sum(weights.weight) filter (where words.kind = 'word'), 9), 0) as size,
    from words
    inner join weights using (word)
    group by all
),

final as (
    select
        names.name,
        array_to_string(list_transform(profiles.words, lambda w: w.word), ' ') as core,
        array_to_string(profiles.marks, ' ') as series_marks,
        coalesce(profiles.qualifiers, []) as qualifiers,
        coalesce(axes.axis_values, []) as axis_values,
        profiles.words,
        profiles.size,
    from profiles
    inner join names on profiles.name_number = names.name_number
    left join axes on profiles.name_number = axes.name_number
)

select * from final
