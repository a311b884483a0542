import { listRoles } from '../../accounts/roles.ts'
import { readWorkspace, renameWorkspace } from '../../accounts/workspace.ts'
import type { Answer } from '../../answer.ts'
import type { Scope } from '../../scope.ts'
import { answerData, bodyOf, type WebRequest } from './web-request.ts'

export type WorkspaceRequest = WebRequest & { handler: WorkspaceHandlerName }

export type WorkspaceHandlerName = keyof typeof workspaceHandlers

/** What a member does in a workspace, beside the REST interface. */
export const workspaceHandlers = {
  workspace: async (scope: Scope, request: WebRequest): Promise<Answer> =>
    answerData(await readWorkspace(scope, request.site.hosted)),
  'rename-workspace': async (scope, request) =>
    answerData(await renameWorkspace(scope, request.site.hosted, bodyOf(request))),
  roles: async () => answerData(listRoles()),
} satisfies Record<string, (scope: Scope, request: WebRequest) => Promise<Answer>>
