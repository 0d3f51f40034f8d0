/** The version of the format that `docs/export-format.md` describes. */
export const formatVersion = 1
