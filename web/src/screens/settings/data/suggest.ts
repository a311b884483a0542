import type { ResourceIcon } from '@kith/contract/own-resource'
import { camelCase, codeOfName } from '@kith/contract/resource-code'

/** Everything else about a new resource, as its name suggests it. */
export function suggestionsFor(name: string): {
  singular: string
  code: string
  singular_code: string
  icon: ResourceIcon
} {
  const singular = singularOf(name.trim())
  const code = codeOfName(name)
  const [one, many] = [codeOfName(singular), camelCase(code)]
  // Some words are the same in both numbers, such as series.
  return { singular, code, singular_code: camelCase(one) === many ? `${one}_record` : one, icon: iconFor(name) }
}

const irregular: Readonly<Record<string, string>> = { people: 'person', children: 'child', men: 'man', women: 'woman' }

/** Of the last word, by the rules of English. A word that follows none of them stays as it is. */
function singularOf(name: string): string {
  const [, before = '', word = ''] = /^(.*?)(\p{L}*)$/su.exec(name) ?? []
  const known = Object.entries(irregular).find(([many]) => word.toLowerCase().endsWith(many))
  if (known) {
    const [many, one] = known
    const start = word.slice(0, -many.length)
    return before + start + (start === '' && word[0] !== many[0] ? one[0]?.toUpperCase() + one.slice(1) : one)
  }
  for (const [end, single] of rules) if (end.test(word)) return before + word.replace(end, single)
  return name
}

const rules: readonly [RegExp, string][] = [
  [/^(series|species|news)$/i, '$1'],
  [/(us|is|ss)$/i, '$1'],
  [/([^aeiou])ies$/i, '$1y'],
  [/(ss|x|zz|ch|sh)es$/i, '$1'],
  [/([^aeo]us)es$/i, '$1'],
  [/s$/i, ''],
]

/** How words begin, with the icon of what they are about. */
const icons: readonly [RegExp, ResourceIcon][] = [
  [/\b(project|campaign|launch|release)/, 'rocket'],
  [/\b(invoice|receipt|expense|bill)/, 'receipt'],
  [/\b(payment|budget|fund|loan|grant|donation)/, 'banknote'],
  [/\b(subscription|licen[cs]e|card)/, 'credit-card'],
  [/\b(order|purchase|basket)/, 'shopping-cart'],
  [/\b(product|item|asset|equipment|inventory|part)/, 'package'],
  [/\b(shipment|deliver|supplier|vendor)/, 'truck'],
  [/\b(contract|document|agreement|policy|policies|proposal|quote)/, 'file'],
  [/\b(partner|deal|agent|broker)/, 'handshake'],
  [/\b(event|meeting|appointment|booking|visit)/, 'calendar'],
  [/\b(ticket|issue|request|case|bug)/, 'ticket'],
  [/\b(student|course|class|school|training|cohort)/, 'graduation-cap'],
  [/\b(propert|house|apartment|unit|estate)/, 'home'],
  [/\b(office|branch|building|department)/, 'building'],
  [/\b(location|site|place|region|territor)/, 'map-pin'],
  [/\b(shop|store|outlet)/, 'store'],
  [/\b(vehicle|car(s|$)|fleet)/, 'car'],
  [/\b(trip|flight|travel|tour)/, 'plane'],
  [/\b(job|position|application|candidate|role|vacanc)/, 'briefcase'],
  [/\b(team|group|famil|household|employee|member)/, 'users'],
  [/\b(idea|feature|experiment)/, 'lightbulb'],
  [/\b(goal|milestone|objective)/, 'flag'],
  [/\b(award|achievement|prize)/, 'trophy'],
  [/\b(patient|animal|pet(s|$)|health|volunteer)/, 'heart'],
  [/\b(server|device|machine|host)/, 'server'],
  [/\b(domain|website|market|countr)/, 'globe'],
  [/\b(service|repair|maintenance|tool)/, 'wrench'],
  [/\b(book|article|publication)/, 'book'],
  [/\b(report|metric|survey)/, 'chart'],
  [/\b(tag|label|categor|topic)/, 'tag'],
]

function iconFor(name: string): ResourceIcon {
  const words = name.toLowerCase()
  return icons.find(([about]) => about.test(words))?.[1] ?? 'box'
}
