import { CLIENT_BODY_MAX_BYTES, CLIENT_DOCUMENT_SECONDS } from '@kith/contract/limits'
import { clientDocuments } from '../accounts/oauth/client-documents.ts'
import { grantsIn } from '../accounts/oauth/grants.ts'
import { type OAuth, oauthOver } from '../accounts/oauth/oauth.ts'
import { oauthTargets } from '../accounts/oauth/targets.ts'
import { spendRegistration } from '../accounts/sign-in/registration-limit.ts'
import type { Config } from '../config.ts'
import type { Runtime } from '../scope/scope.ts'
import type { UrlRules } from '../webhooks/send/allowed-url.ts'
import { openReader } from '../webhooks/send/reader.ts'
import type { Spend } from './rate-limit.ts'

type OAuthParts = {
  identify: Parameters<typeof oauthOver>[0]
  spend: Spend
  urlRules(): UrlRules
}

type OpenOAuth = { oauth: OAuth; spendRegistration(address: string): Promise<void>; close(): Promise<void> }

/** The authorization server, and what reads the documents of its clients. */
export function openOAuth({ engine, now }: Runtime, config: Config, parts: OAuthParts): OpenOAuth {
  const { identify, spend, urlRules } = parts
  const limits = { address: config.REGISTER_LIMIT_ADDRESS, total: config.REGISTER_LIMIT_TOTAL }
  const register = (address: string) => spendRegistration(spend, limits, address)
  const { read, close } = openReader({
    // Anybody can have a document read, so hosts that are open to webhooks are not open to this.
    rules: () => ({ ...urlRules(), allow: config.CLIENT_DOCUMENT_ALLOW_PRIVATE }),
    timeout_ms: CLIENT_DOCUMENT_SECONDS * 1000,
    max_bytes: CLIENT_BODY_MAX_BYTES,
  })
  const oauth = oauthOver(identify, {
    app_url: config.APP_URL,
    resources: oauthTargets(config),
    grants: grantsIn({ engine, now }),
    documents: clientDocuments({ engine, now, spend: register, read }),
  })
  return { oauth, spendRegistration: register, close }
}
