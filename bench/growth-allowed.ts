/** How much slower a case may be in the largest workspace than in the smallest. */
export const allowed: Readonly<Record<string, number>> = {
  'get by id': 1.5,
  'list of 15': 1.5,
  'list of 100': 1.5,
  'cursor page': 1.5,
  'name contains, ten': 1.5,
  'select + range, ten': 1.5,
  'domain has_any, ten': 1.5,
  'people by company, ten': 1.5,
  create: 1.5,
  upsert: 1.5,
  'deep page': 3,
  'name contains, 1 in 2': 3,
  'select + range, 1 in 2': 3,
}
