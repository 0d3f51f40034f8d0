/** The last typed text, if it completes only a tag. */
export const TAG = /(?:^|\s)-?tag:(?:"([^"]*)"?|#?(\S*))$/i
