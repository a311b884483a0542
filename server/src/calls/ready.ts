/** What a thread says by itself when it has loaded what it needs; orders are numbered from 1. */
export const READY = 0
