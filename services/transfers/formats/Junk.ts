/** Files that operating systems add to archives, and the list of missing files in an export: no files of users. */
export const junk = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\._|sheaf-missing-files\.txt$)/i
