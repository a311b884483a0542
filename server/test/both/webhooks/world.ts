import { type OwnService, ownService } from '../../own-service.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { newReceiver, type Receiver } from './receiver.ts'

/** A service whose webhooks may reach receivers of the tests, and that counts no requests. */
export const webhookSettings = {
  WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8',
  RATE_LIMIT_WRITES: '0',
  RATE_LIMIT_READS: '0',
  RATE_LIMIT_WORKSPACE: '0',
}

export type WebhookWorld = { service: OwnService; workspace: TestWorkspace; receiver: Receiver }

/** A service of one's own, with a workspace and a receiver. */
export async function webhookWorld(settings: Readonly<Record<string, string>> = {}): Promise<WebhookWorld> {
  const service = await ownService({ ...webhookSettings, ...settings })
  return { service, workspace: await service.workspace(), receiver: await newReceiver() }
}
