"""Options of the REST server that a job's driver has."""

from __future__ import annotations

from flott.common.config_options import ConfigOptions

__all__ = ["RestOptions"]


class RestOptions:
    """Options of the REST server in the driver. It is off unless a port is given; `flott run` gives one."""

    PORT = (
        ConfigOptions.key("rest.port")
        .int_type()
        .no_default_value()
        .with_description("The port; 0 for any that is free.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    BIND_PORT = (
        ConfigOptions.key("rest.bind-port")
        .string_type()
        .no_default_value()
        .with_description("The port, or a range such as 8081-8180, of which the first that is free is taken.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    BIND_ADDRESS = (
        ConfigOptions.key("rest.bind-address")
        .string_type()
        .default_value("127.0.0.1")
        .with_description("The address to listen on. Any other than loopback needs rest.token-file.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    ADDRESS = (
        ConfigOptions.key("rest.address")
        .string_type()
        .no_default_value()
        .with_description("The name or address by which others reach the server; by default where it listens.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    TOKEN = (
        ConfigOptions.key("rest.token")
        .string_type()
        .no_default_value()
        .with_description("A token that entitles beside the one of this user. Better in a file.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    TOKEN_FILE = (
        ConfigOptions.key("rest.token-file")
        .string_type()
        .no_default_value()
        .with_description("A file with such a token.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    REGISTRY_DIRECTORY = (
        ConfigOptions.key("flott.registry.dir")
        .string_type()
        .no_default_value()
        .with_description(
            "The directory in which `flott list` finds the jobs of this user on this machine; by default flott/jobs "
            "in $XDG_STATE_HOME, else in ~/.local/state."
        )
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
