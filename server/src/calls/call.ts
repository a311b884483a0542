import type { AccountRequest, Asker } from '../http/app/account-handlers.ts'
import type { WorkspaceRequest } from '../http/app/workspace-handlers.ts'
import type { V1Request } from '../http/v1/handlers.ts'
import type { McpRequest } from '../mcp/request.ts'
import type { ScopeFacts } from '../scope/scope.ts'

/** Where a call is carried out. A `short` one reads a few rows by an index, whatever the size of the workspace. */
export type Lane = 'short' | 'read' | 'write'

/** Tells whether the client has disconnected. */
export type IsGone = () => boolean

/** A request with all that is known about who makes it: plain data, which any thread can carry out. */
export type Call = {
  request_id: string
  lane: Lane
  /** Whether a replica may answer once it has caught up with the primary. */
  replica?: true | undefined
} & (
  | { surface: 'v1'; facts: ScopeFacts; request: V1Request }
  | { surface: 'mcp'; facts: ScopeFacts; request: McpRequest }
  | { surface: 'workspace'; facts: ScopeFacts; request: WorkspaceRequest }
  | { surface: 'account'; asker: Asker; request: AccountRequest }
)
