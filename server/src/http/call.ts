import type { ScopeFacts } from '../scope.ts'
import type { V1Request } from './v1-handlers.ts'

/** A request with all that is known about who makes it: plain data, which any thread can carry out. */
export type Call = { facts: ScopeFacts; request: V1Request; request_id: string }
