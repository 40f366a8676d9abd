import type { EmailContent, Fact, Paragraph, Part } from '#platform/mail/message.ts';

/** The text part of an email. It contains everything that the HTML part contains, in the same order. */
export function plainText({
  brand,
  card,
  choices,
  paragraphs,
  parts: things = [],
  pictures = [],
  code,
  action,
  footer,
  unsubscribe,
}: EmailContent): string {
  const parts = [
    brand?.name,
    ...plainHead({ card, choices }),
    ...paragraphs.map(plainParagraph),
    ...things.flatMap(plainPart),
    ...pictures.map(({ alt, url }) => plainLink({ label: alt, url })),
    code && `    ${code}`,
    action && plainLink(action),
    `-- \n${footer}`,
    unsubscribe && plainLink(unsubscribe),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

const plainHead = ({ card, choices }: Pick<EmailContent, 'card' | 'choices'>) => [
  card && [card.cancelled, card.title].filter(Boolean).join(': '),
  card && plainFacts(card.facts),
  choices && [choices.label, ...choices.links.map(plainLink)].filter(Boolean).join('\n\n'),
];

const plainPart = ({ title, card, choices, lines = [], more }: Part) => [
  title,
  ...plainHead({ card, choices }),
  ...lines.map(({ label, url, excerpt }) => [label, excerpt, url].filter(Boolean).join('\n')),
  more && plainLink(more),
];

const plainLink = ({ label, url }: NonNullable<EmailContent['action']>) => `${label}:\n${url}`;

function plainParagraph(paragraph: Paragraph): string {
  if (typeof paragraph === 'string') return paragraph;
  if ('written' in paragraph) return paragraph.written;
  return `${paragraph.title}\n${plainFacts(paragraph.facts)}`;
}

const plainFacts = (facts: readonly Fact[]): string =>
  groupsOf(facts)
    .map((group) => group.map(({ label, value }) => `${label}: ${value}`).join('\n'))
    .join('\n\n');

/** Sets each pair of an old and a new value apart from the other facts. */
export function groupsOf(facts: readonly Fact[]): Fact[][] {
  const groups: Fact[][] = [];
  for (const [n, fact] of facts.entries())
    if (n > 0 && (fact.change === 'now' || (!fact.change && !facts[n - 1]?.change)))
      groups.at(-1)?.push(fact);
    else groups.push([fact]);
  return groups;
}
