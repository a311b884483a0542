/** Sent to every model that connects. */
export const instructions = [
  'Kith is a CRM. One workspace can be reached: companies, people, opportunities, tasks and notes.',
  '- Each record has native attributes and custom fields. Amount, stage, close date, emails, domains, due date, status ' +
    'and the body of a note are custom fields, which are under custom_fields by their code. Call describe_resource ' +
    'before you filter by or write them.',
  '- Bring related records along with include instead of reading them one by one; ask for few fields ' +
    'where lists are long.',
  '- Before you create a company or a person, look for it with search or use upsert_record with its domain or email ' +
    'address.',
  '- A refused call has changed nothing. Its text says what to change, with the path and what is accepted there.',
  '- Times are UTC. IDs are opaque; show people names instead.',
].join('\n')
