import { networkInterfaces } from 'node:os'
import type { Config } from '../config.ts'
import { hostAndPort, type UrlRules } from '../webhooks/send/allowed-url.ts'

/** Which URLs webhooks can have: not those of this installation, on the port where it listens. */
export function urlRulesOf(config: Config, port: number): UrlRules {
  const { APP_URL, API_DOMAIN, MCP_DOMAIN, WEBHOOK_ALLOW_PRIVATE: allow } = config
  const domains = [API_DOMAIN, MCP_DOMAIN].flatMap((domain) => (domain === undefined ? [] : `https://${domain}`))
  const named = [APP_URL, ...domains].map((url) => hostAndPort(new URL(url)))
  const local = Object.values(networkInterfaces()).flatMap((some) => some?.map(({ address }) => address) ?? [])
  return { allow, own: [...named, ...['localhost', '0.0.0.0', '::', ...local].map((host) => `${host}:${port}`)] }
}
