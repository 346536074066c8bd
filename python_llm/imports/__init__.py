"""Reading strangers' files: tables of any kind, folders of patients, what file names say."""
