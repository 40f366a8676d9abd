import { t } from '#app/web/pages/landing/messages.ts';
const faces = [
  { x: 96, hue: 2, initial: 'A' },
  { x: 120, hue: 7, initial: 'J' },
  { x: 144, hue: 13, initial: 'M' },
  { x: 168, hue: 5, initial: 'S' },
];

/** An event card with attendees and the pressed Attend button. */
export function EventPicture({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 480 340" role="img" aria-label={t('eventPicture')} data-hue={11} className={className}>
      <g className="drop-shadow-md">
        <rect x="56" y="52" width="368" height="236" rx="20" className="fill-raised" />
      </g>
      <rect x="80" y="76" width="68" height="76" rx="14" className="fill-club-soft" />
      <text x="114" y="97" textAnchor="middle" className="fill-club font-display text-[13px] font-bold">
        {t('weekday')}
      </text>
      <text x="114" y="126" textAnchor="middle" className="fill-club font-display text-[27px] font-bold">
        21
      </text>
      <text x="114" y="143" textAnchor="middle" className="fill-club font-display text-[12px] font-semibold">
        {t('month')}
      </text>
      <text x="168" y="101" className="fill-ink font-display text-[21px] font-bold">
        {t('morningRow')}
      </text>
      <text x="168" y="125" className="fill-muted text-[15px]">
        {t('morningRowTimeAndPlace')}
      </text>
      <rect x="168" y="136" width="58" height="22" rx="11" className="fill-ok-soft" />
      <text x="197" y="151.5" textAnchor="middle" className="fill-ok text-[12px] font-bold">
        {t('open')}
      </text>
      <path d="M80 182h320" strokeWidth="1.5" className="stroke-line" />
      {faces.map(({ x, hue, initial }) => (
        <g key={x} data-hue={hue}>
          <circle cx={x} cy="214" r="17" strokeWidth="3" className="fill-avatar stroke-raised" />
          <text x={x} y="219" textAnchor="middle" className="fill-avatar-ink text-[13px] font-bold">
            {initial}
          </text>
        </g>
      ))}
      <text x="197" y="219" className="fill-muted text-[15px]">
        {t('morningRowReplies')}
      </text>
      <rect x="260" y="236" width="140" height="36" rx="11" className="fill-accent" />
      <path
        d="m279 254 5 5 9-10"
        strokeWidth="2.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        className="fill-none stroke-accent-ink"
      />
      <text x="303" y="259.5" className="fill-accent-ink text-[15px] font-bold">
        {t('attending')}
      </text>
    </svg>
  );
}
