/** Replaces the types of `highlight.js`, which would add those of browsers to the whole program (`tsconfig.json`). */
export type LanguageFn = unknown
