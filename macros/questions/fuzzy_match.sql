{#- The rules of docs/specification.md#answer-matching: those of the validation plan (P5), with the
    stems it wishes for and guards for what its substring rule lets through.
    `stem_words(text, language)` is the Snowball stemmer, registered when dbt connects. -#}

{#- A text as it is compared: lower case, no accents, arrows and per cent as words, a point between
    two digits kept (0.5 is not 0 5), every other run of punctuation one space. -#}
{% macro comparable_text(text) -%}
    trim(
        replace(
            regexp_replace(
                regexp_replace(
                    replace(replace(replace(
                        lower(strip_accents(coalesce({{ text }}, ''))),
                        '↑', ' increased '), '↓', ' decreased '), '%', ' percent '),
                    '(\d)[.,](\d)', '\1¤\2', 'g'
                ),
                '[^\p{L}\p{N}¤]+', ' ', 'g'
            ),
            '¤', '.'
        )
    )
{%- endmacro %}

{#- Words that carry no clinical meaning, as a pattern. The negations are not among them. -#}
{% macro stop_words() -%}
    '\b(?:the|a|an|of|in|to|and|or|is|are|was|were|be|been|with|for|on|at|by|from|this|that|these'
    || '|those|it|its|has|have|had|do|does|did|will|would|could|should|may|might|most|likely'
    || '|following|which|what|patients?|s|as'
    || '|el|la|los|las|un|una|unos|unas|de|del|al|en|y|e|o|u|es|son|era|fue|ser|con|para|por|su|sus'
    || '|se|que|lo|cual|este|esta|estos|estas|ha|han|mas|probable|siguientes?|pacientes?)\b'
{%- endmacro %}

{#- Words that turn a meaning round. -#}
{% macro negation_words() -%}
    ['no', 'not', 'never', 'without', 'avoid', 'neither', 'nor', 'sin', 'nunca', 'ni', 'evitar']
{%- endmacro %}

{#- The content words of a comparable text, stemmed, each once; a text of stop words alone has
    none. -#}
{% macro content_stems(comparable, language) -%}
    list_distinct(
        list_filter(
            string_split(
                stem_words(
                    regexp_replace({{ comparable }}, {{ stop_words() }}, '', 'g'), {{ language }}
                ),
                ' '
            ),
            lambda word: word != ''
        )
    )
{%- endmacro %}

{#- Everything a comparison needs of a text, once: {comparable, stems}. -#}
{% macro match_form(text, language="'en'") -%}
    struct_pack(
        comparable := {{ comparable_text(text) }},
        stems := {{ content_stems(comparable_text(text), language) }}
    )
{%- endmacro %}

{#- Share of the target's content words that the candidate has, 0 to 1; null if the target has
    none. -#}
{% macro stem_recall(candidate_stems, target_stems) -%}
    (
        len(list_intersect({{ target_stems }}, {{ candidate_stems }}))
        / nullif(len({{ target_stems }}), 0)::double
    )
{%- endmacro %}

{#- Words of a stem list that say something by themselves: letters, more than two of them, no
    unit. -#}
{% macro telling_words(stems) -%}
    list_filter(
        {{ stems }},
        lambda word: regexp_matches(word, '^\p{L}{3,}')
        and not list_contains(['daili', 'dose', 'mcg', 'dosi', 'diari', 'dia', 'day'], word)
    )
{%- endmacro %}

{#-
  Do two match forms mean the same? In this order, the first that applies decides:
  1. an empty target or candidate: no;
  2. a candidate of at most twelve words that begins with a negation the target lacks: no
     ('No appendicitis' is not appendicitis);
  3. the target stands in the candidate as whole words: yes ('no' is not in 'nose');
  4. the candidate stands in the target as whole words and has at least half of the target's telling
     words: yes (a letter, a number, an 'acute' alone is nothing);
  5. a negation of the target that the candidate lacks: no;
  6. the candidate has all content words of the target, or at least the share `threshold` of them,
     by stem: yes.
-#}
{% macro forms_match(candidate, target, threshold) -%}
    case
        when {{ target }}.comparable = '' or {{ candidate }}.comparable = '' then false
        when
            len(string_split({{ candidate }}.comparable, ' ')) <= 12
            and list_contains(
                {{ negation_words() }}, split_part({{ candidate }}.comparable, ' ', 1)
            )
            and len(list_intersect(
                string_split({{ target }}.comparable, ' '), {{ negation_words() }}
            )) = 0
            then false
        when
            contains(
                ' ' || {{ candidate }}.comparable || ' ', ' ' || {{ target }}.comparable || ' '
            )
            then true
        when
            contains(
                ' ' || {{ target }}.comparable || ' ', ' ' || {{ candidate }}.comparable || ' '
            )
            and len({{ telling_words(candidate ~ ".stems") }}) > 0
            and 2 * len({{ telling_words(candidate ~ ".stems") }})
            >= len({{ telling_words(target ~ ".stems") }})
            then true
        when
            len(list_intersect(
                string_split({{ target }}.comparable, ' '), {{ negation_words() }}
            )) > 0
            and len(list_intersect(
                string_split({{ candidate }}.comparable, ' '), {{ negation_words() }}
            )) = 0
            then false
        else
            coalesce(
                {{ stem_recall(candidate ~ ".stems", target ~ ".stems") }} >= {{ threshold }}, false
            )
    end
{%- endmacro %}

{#- The same for two texts: does `candidate` (what a system wrote, maybe long) say `target` (what
    the key says, usually short)? `threshold` is the share of the target's content words, 0 to
    1. -#}
{% macro fuzzy_match(candidate, target, threshold=0.6, language="'en'") -%}
    list_transform(
        [struct_pack(
            candidate := {{ match_form(candidate, language) }},
            target := {{ match_form(target, language) }}
        )],
        lambda pair: {{ forms_match("pair.candidate", "pair.target", threshold) }}
    )[1]
{%- endmacro %}
