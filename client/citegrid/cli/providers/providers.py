"""`citegrid provider`: profiles of those who offer, your own among them."""

from pathlib import Path

import click

from citegrid.cli.command import Session, group, yes_option
from citegrid.cli.providers.offers import PUBLIC, public_rows
from citegrid.nouns.export import whole_file
from citegrid.nouns.providers.profiles import Profile, avatar_data_url


@group("provider")
def provider_group() -> None:
    """Show provider profiles, and manage your own."""


@provider_group.command("show")
@click.argument("handle", required=False)
def show(session: Session, handle: str | None) -> None:
    """Print the public profile and offers of HANDLE, or your own profile."""
    if handle is None:
        _own(session, session.client.provider_profile.get())
        return
    found = session.client.providers.get(handle)
    offers = (
        tuple(session.client.providers.iterate_offers(handle)) if found.has_more else found.offers
    )
    if session.terminal.as_json:
        session.terminal.json({"profile": found.profile, "offers": offers})
        return
    _facts(session, found.profile)
    session.terminal.text()
    session.terminal.table(PUBLIC, public_rows(offers))


def _own(session: Session, profile: Profile | None) -> None:
    if session.terminal.as_json:
        session.terminal.json({"profile": profile})
    elif profile is None:
        session.terminal.say("No profile yet.")
        session.terminal.suggest("citegrid provider save")
    else:
        _facts(session, profile)
        session.terminal.text(f"published     {'yes' if profile.published else 'no'}")


def _facts(session: Session, profile: Profile) -> None:
    session.terminal.text(f"name          {profile.display_name}")
    session.terminal.text(f"handle        {profile.handle}")
    session.terminal.text(f"description   {profile.description}")
    session.terminal.text(f"website       {profile.website or '-'}")


@provider_group.command("save")
@click.option("--display-name", help="1 to 80 characters.")
@click.option("--handle", help="3 to 40 lower-case letters, digits or hyphens.")
@click.option("--description", help="Up to 160 characters.")
@click.option("--website", help='An https address, or "" to remove it.')
@click.option("--publish/--hide", "published", default=None, help="Show or hide the profile.")
def save(
    session: Session,
    display_name: str | None,
    handle: str | None,
    description: str | None,
    website: str | None,
    published: bool | None,
) -> None:
    """Save your profile. Omitted options keep their values."""
    now = session.client.provider_profile.get()
    if now is None:
        if display_name is None or handle is None:
            raise click.UsageError("A new profile requires --display-name and --handle.")
        now = Profile(display_name, handle, "", None, published=False, avatar_url=None)
    saved = session.client.provider_profile.save(
        display_name=now.display_name if display_name is None else display_name,
        handle=now.handle if handle is None else handle,
        description=now.description if description is None else description,
        website=now.website if website is None else website or None,
        published=now.published if published is None else published,
    )
    _own(session, saved)


@provider_group.group("avatar")
def avatar_group() -> None:
    """Manage your profile image."""


@avatar_group.command("save")
@click.argument("image", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def save_avatar(session: Session, image: Path) -> None:
    """Save IMAGE (PNG, JPEG or WebP, up to 256 KiB) as your avatar."""
    data_url = avatar_data_url(image.read_bytes())
    _own(session, session.client.provider_profile.save_avatar(data_url))


@avatar_group.command("get")
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--handle", help="Handle of a public profile. Default: your own.")
def get_avatar(session: Session, target: Path, handle: str | None) -> None:
    """Write an avatar to the file TARGET."""
    found = (
        session.client.providers.avatar(handle)
        if handle
        else session.client.provider_profile.avatar()
    )
    with whole_file(target) as file:
        file.write(found.content)
    session.terminal.say(f"{target}: {found.media_type}, {len(found.content)} bytes")


@avatar_group.command("remove")
@yes_option
def remove_avatar(session: Session, yes: bool) -> None:
    """Remove your avatar."""
    session.confirm("Remove your avatar?", yes)
    _own(session, session.client.provider_profile.save_avatar(None))
