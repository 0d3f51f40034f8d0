/** Files that systems leave behind in archives, and the list of missing files in an export: none is a file of a user. */
export const junk = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\._|sheaf-missing-files\.txt$)/i
