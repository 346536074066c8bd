-- the rules of fuzzy_match on worked examples; returns those that come out otherwise
with examples as (
    select
        candidate,
        target,
        language,
        expected,
    from (
        values
        ('Start clopidogrel 75mg daily', 'Clopidogrel', 'en', true),
        ('The diagnosis is cholesterol embolization syndrome', 'Cholesterol embolization', 'en', true),
        (
            'reassure the patient and provide continuous cardiac monitoring',
            'Reassurance and continuous monitoring', 'en', true
        ),
        ('Acute myocardial infarction', 'Pulmonary embolism', 'en', false),
        ('some text', '', 'en', false),
        ('', 'Pulmonary embolism', 'en', false),
        (' ', 'Pulmonary embolism', 'en', false),
        ('An', 'Anemia of chronic disease', 'en', false),
        ('no', 'Bleeding from the nose', 'en', false),
        ('Bleeding from the nose', 'No', 'en', false),
        ('A', 'Vitamin A deficiency', 'en', false),
        ('Acute', 'Acute interstitial nephritis', 'en', false),
        ('Pulmonary embolism', 'Acute pulmonary embolism', 'en', true),
        ('Clopidogrel', 'Clopidogrel 75 mg daily', 'en', true),
        ('No appendicitis', 'Appendicitis', 'en', false),
        ('Appendicitis', 'No treatment is needed', 'en', false),
        ('Treatment is needed now', 'No treatment needed', 'en', false),
        ('pH 0.5 was measured', '5', 'en', false),
        ('alkylating agents cross-link DNA strands', 'Cross-linking of DNA', 'en', true),
        ('Serum sodium ↓', 'Decreased sodium', 'en', true),
        ('tranquilizar y vigilar de forma continua', 'Vigilancia continua', 'es', true),
        ('Infarto agudo de miocardio', 'Embolia pulmonar', 'es', false),
        ('Peritonitis bacteriana espontanea', 'Peritonitis bacteriana espontánea', 'es', true),
        ('Sin tratamiento', 'Tratamiento antibiótico', 'es', false)
    ) as given (candidate, target, language, expected)
),

matched as (
    select
        candidate,
        target,
        expected,
        {{ fuzzy_match("candidate", "target", 0.6, "language") }} as found,
    from examples
)

select
    candidate,
    target,
    expected,
    found,
from matched
where found is null or found != expected
