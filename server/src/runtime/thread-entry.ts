import { enableCompileCache } from 'node:module'

// Before all other imports, as in main.ts.
enableCompileCache()
const { serveThread } = await import('../calls/thread.ts')
const { executeCall } = await import('./execute-call.ts')
serveThread(executeCall)
