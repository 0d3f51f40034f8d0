export declare const patchesOf: (root: string) => ReadonlyArray<string>
export declare const applyPatches: (root: string) => void
export declare const requirePatches: (root: string) => void
