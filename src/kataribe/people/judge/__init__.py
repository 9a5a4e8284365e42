"""The judging app: a local web server in which people compare, rank and rate texts.

`settings` is what a STUDY.toml may say, `study` is that file with everything it names read and joined, `plan` is who
sees what in which order, `store` keeps the answers, `app` is the web application, `collected` turns answers into
ratings.
"""
