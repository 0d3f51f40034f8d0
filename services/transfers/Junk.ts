/** Files that systems leave behind in archives, and that are of no user. */
export const junk = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\._)/i
