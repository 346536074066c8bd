{#-
  OMIM files a disease under its head word (Emphysema, congenital lobar); people use the natural
  order. The qualifying parts come before the head, the last of them first; a mark of a series (type
  II, 1A) or a subordinate part (with …, due to …) stays after it.
-#}
{%- set stays_behind = (
    '^(types?|form|group|grade|stage|with|without|due|in|of|from|for|to|after|following)\\b'
    '|^(associated|caused|multiple types|genetic forms|complementation group)\\b'
    '|^[0-9IVXivx]+[A-Za-z]{0,2}[0-9]?$|^[A-Z]$'
    '|\\b(type|form|variety|variant)( [0-9A-Z]+)?$|type\\)$'
) -%}
{#- a list of features has no head, and a susceptibility is not the disease -#}
{%- set has_no_spoken_form = (
    '^(and|or|et|and/or|with or without)\\b'
    '|susceptibility|resistance to|protection|modifier|syndrome$'
) -%}
{%- set number_at_the_end = ' ([0-9IVX]+[A-Za-z]{0,2}|[A-Z])$' -%}
with names as (
    select * from {{ ref('int_terminology__disease_name') }}
),

inverted_headings as (
    select
        source_disease_id,
        string_split(disease_name, ', ') as parts,
    from names
    where
        source_vocabulary = 'OMIM' and contains(disease_name, ', ')
        and is_main and not is_abbreviation
),

-- a word that mostly keeps its capital inside a name (Parkinson) keeps it as the head word too
inner_words as (
    select unnest(regexp_extract_all(disease_name, '[ -]([A-Za-z][a-z]+)', 1)) as word,
    from names
),

proper_words as (
    select upper(word[1]) || word[2:] as word,
    from inner_words
    group by 1
    having count(*) filter (where word[1] = upper(word[1])) > count(*) / 2
),

taken_apart as (
    select
        source_disease_id,
        parts[1] as head,
        regexp_extract(parts[1], '^[A-Z][a-z]+') as head_word,
        list_filter(parts[2:], lambda part: not regexp_matches(part, '{{ stays_behind }}'))
            as modifiers,
        list_filter(parts[2:], lambda part: regexp_matches(part, '{{ stays_behind }}')) as tails,
    from inverted_headings
    where
        not list_bool_or(
            list_transform(
                parts[2:], lambda part: regexp_matches(part, '{{ has_no_spoken_form }}')
            )
        )
),

spoken_forms as (
    select
        taken_apart.source_disease_id,
        array_to_string(
            list_concat(
                list_reverse(
                    list_transform(
                        taken_apart.modifiers,
                        lambda part: regexp_replace(part, '{{ number_at_the_end }}', '')
                    )
                ),
                [
                    case
                        when taken_apart.head_word != '' and proper_words.word is null
                            then lower(taken_apart.head[1]) || taken_apart.head[2:]
                        else taken_apart.head
                    end,
                ],
                list_filter(
                    list_transform(
                        taken_apart.modifiers,
                        lambda part: regexp_extract(part, '{{ number_at_the_end }}', 1)
                    ),
                    lambda part: part != ''
                ),
                taken_apart.tails
            ),
            ' '
        ) as spoken,
    from taken_apart
    left join proper_words on taken_apart.head_word = proper_words.word
    where len(taken_apart.modifiers) > 0
),

spoken_names as (
    select
        source_disease_id,
        upper(spoken[1]) || spoken[2:] as disease_name,
    from spoken_forms
),

all_names as (
    select * from names
    union all by name
    select
        *,
        'OMIM' as source_vocabulary,
        {{ normalise_name("disease_name") }} as disease_name_normalised,
        false as is_abbreviation,
        false as is_main,
        0 as n_annotations,
    from spoken_names
),

canonical_diseases as (
    select * from {{ ref('int_terminology__disease_canonical') }}
),

-- the display name: not in capitals and without outdated wording if possible, ORPHA's before OMIM's
-- inverted headings, and within a vocabulary the one that most annotations use
ordered as (
    select
        all_names.*,
        canonical_diseases.disease_id,
        row_number() over (
            partition by canonical_diseases.disease_id
            order by
                all_names.is_abbreviation asc,
                not all_names.is_main asc,
                length(all_names.disease_name) > 8
                and upper(all_names.disease_name) = all_names.disease_name asc,
                contains(all_names.disease_name_normalised, 'mental retardation') asc,
                all_names.source_vocabulary != 'ORPHA' asc,
                all_names.source_vocabulary != 'OMIM' asc,
                all_names.n_annotations desc,
                all_names.last_curated_on desc,
                all_names.disease_name asc,
                all_names.source_disease_id asc
        ) as name_rank,
    from all_names
    inner join canonical_diseases
        on all_names.source_disease_id = canonical_diseases.source_disease_id
),

final as (
    select
        disease_id,
        disease_name,
        disease_name_normalised,
        source_disease_id,
        case
            when name_rank = 1 then 'preferred'
            when is_abbreviation then 'abbreviation'
            else 'exact'
        end as scope,
        imported_release,
    from ordered
    qualify
        row_number() over (
            partition by disease_id, disease_name_normalised order by name_rank
        ) = 1
)

select * from final
