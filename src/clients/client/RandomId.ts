/** 128 random bits as a text of digits. Pages that came by plain HTTP have no `crypto.randomUUID`. */
export const randomId = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-")
