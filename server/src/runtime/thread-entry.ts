import { enableCompileCache } from 'node:module'

// Before all other imports, as in main.ts.
enableCompileCache()
const { roleOfThread, serveFiles, serveThread } = await import('../calls/thread.ts')
// Each role loads only its own modules.
if (roleOfThread() === 'files') serveFiles((await import('../jobs/import/check-in-thread.ts')).checkPart)
else serveThread((await import('./execute-call.ts')).executeCall)
