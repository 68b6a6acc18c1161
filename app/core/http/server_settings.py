"""The settings of the server that answers the request at hand."""

from flask import current_app

from app.core.config.settings import Settings


def current_settings() -> Settings:
    settings: Settings = current_app.extensions["settings"]
    return settings
