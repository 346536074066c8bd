-- Names are compared by the meaning of their words and by how informative each of them is.
with readings as (
    select unnest(readings) as item,
    from {{ ref('int_experiments__reading_keys') }}
),

gold_names as (
    select * from {{ ref('int_experiments__gold_names') }}
),

families as (
    select unnest(string_split(names, '|')) as family_name,
    from {{ ref('disease_families') }}
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

names as (
    select item.reading as name
    from readings
    union
    select gold_name as name
    from gold_names
    union
    select {{ normalise_name("family_name") }} as name
    from families
    union
    select name
    from known_names
),

registry as (
    select
        *,
        list_transform(string_split(axis_values, '|'), lambda v: axis || '=' || v) as axes,
    from {{ ref('name_words') }}
),

written as (
    select
        name,
        unnest({{ words_of_name("name") }}) as written_word,
    from names
),

-- how many English names have a word
english_words as (
    select
        written.written_word,
        {{ singular("written.written_word") }} as singular,
        count(*) as n_names,
    from written
    inner join known_names using (name)
    where known_names.is_english
    group by all
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
    select distinct
        written_word,
        {{ singular("written_word") }} as singular,
        {{ latin_skeleton("singular") }} as skeleton,
    from written
    anti join english_words using (written_word)
    anti join registry on written.written_word = registry.word
    where length(written_word) >= {{ parameter('skeleton_letters') }}
),

spelt as (
    select distinct
        written.written_word,
        coalesce(skeletons.english_word, written.written_word) as read_word,
        {{ singular("read_word") }} as singular,
    from written
    left join foreign_words using (written_word)
    left join skeletons using (skeleton)
    where written.written_word != ''
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
        written.name,
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
        written.name,
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
        count(distinct words.name) as n_names,
        count(distinct words.name) filter (where known_names.is_disease) as n_disease_names,
    from words
    inner join known_names using (name)
    group by all
),

-- a word that is rare among disease names weighs much, one in every second name little. A word that
-- no disease name has is weighed among all names
weights as (
    select
        vocabulary.word,
        case
            when vocabulary.n_disease_names > 0
                then ln(sizes.n_disease_names / vocabulary.n_disease_names)
            else least(ln(sizes.n_names / vocabulary.n_names), ln(sizes.n_disease_names))
        end as weight,
    from vocabulary
    cross join sizes
),

weighed as (
    select
        words.*,
        -- a word that no name has weighs as much as the rarest
        round(coalesce(weights.weight, ln(sizes.n_disease_names)), 9) as weight,
        weights.word is not null as is_known,
    from words
    cross join sizes
    left join weights using (word)
),

-- sorted behind the aggregates, which takes half the time of sorting in them
profiles as (
    select
        name,
        list_sort(list(word) filter (where kind = 'mark')) as marks,
        list_sort(list(word) filter (where kind = 'qualifier' and not is_on_axis)) as qualifiers,
        coalesce(
            list_sort(
                list({ word: word, weight: weight, is_known: is_known })
                filter (where kind = 'word')
            ),
            []
        ) as words,
        coalesce(round(sum(weight) filter (where kind = 'word'), 9), 0) as size,
    from weighed
    group by all
),

final as (
    select
        profiles.name,
        array_to_string(list_transform(profiles.words, lambda w: w.word), ' ') as core,
        array_to_string(profiles.marks, ' ') as series_marks,
        coalesce(profiles.qualifiers, []) as qualifiers,
        coalesce(axes.axis_values, []) as axis_values,
        profiles.words,
        profiles.size,
    from profiles
    left join axes on profiles.name = axes.name
)

select * from final
