/** Malicious archives: the number of notes in them, and the codes of their problems. */
export const hostileArchives: ReadonlyArray<readonly [name: string, notes: number, reported: ReadonlyArray<string>]> = [
  ["zipslip-dotdot.zip", 1, ["unsafe_path", "unsafe_path"]],
  ["zipslip-absolute.zip", 1, ["unsafe_path", "unsafe_path", "unsafe_path"]],
  ["symlink.zip", 2, ["symbolic_link", "symbolic_link", "missing_file"]],
  ["bomb-1x200MB.zip", 1, ["suspicious_ratio"]],
  ["case-collision.zip", 5, []],
  ["duplicate-entries.zip", 2, ["duplicate_path"]],
  ["unicode-nfc-nfd.zip", 3, []],
  ["names-cp1252.zip", 2, ["encoding_assumed"]],
  ["names-cp437.zip", 1, ["encoding_assumed"]],
  ["names-utf8-noflag.zip", 1, []],
  ["names-invalid-utf8.zip", 2, ["name_repaired"]],
  ["names-nul.zip", 0, Array.from({ length: 5 }, () => "unsafe_path")],
  ["truncated.zip", 0, ["not_readable"]],
  ["bad-crc.zip", 4, ["damaged"]],
  ["not-a-zip.zip", 0, ["not_readable"]],
  ["empty-file.zip", 0, ["not_readable"]],
  ["empty-archive.zip", 0, []],
  ["encrypted-flag.zip", 0, ["encrypted"]]
]
