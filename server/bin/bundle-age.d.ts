export declare const BUNDLE: string
export declare function isBundleFresh(): boolean
