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
    select
        source_disease_id,
        disease_name,
        string_split(disease_name, ', ') as parts,
    from {{ ref('int_terminology__disease_name') }}
    where
        source_vocabulary = 'OMIM' and contains(disease_name, ', ')
        and is_main and not is_abbreviation
),

-- a word that mostly keeps its capital inside a name (Parkinson) keeps it as the head word too
inner_words as (
    select unnest(regexp_extract_all(disease_name, '[ -]([A-Za-z][a-z]+)', 1)) as word,
    from {{ ref('int_terminology__disease_name') }}
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
        disease_name,
        parts[1] as head,
        regexp_extract(parts[1], '^[A-Z][a-z]+') as head_word,
        list_filter(parts[2:], lambda part: not regexp_matches(part, '{{ stays_behind }}'))
            as modifiers,
        list_filter(parts[2:], lambda part: regexp_matches(part, '{{ stays_behind }}')) as tails,
    from names
    where
        not list_bool_or(
            list_transform(
                parts[2:], lambda part: regexp_matches(part, '{{ has_no_spoken_form }}')
            )
        )
),

ordered as (
    select
        taken_apart.source_disease_id,
        taken_apart.disease_name as heading,
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

final as (
    select
        source_disease_id,
        heading,
        upper(spoken[1]) || spoken[2:] as disease_name,
    from ordered
)

select * from final
