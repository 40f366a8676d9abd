import { t } from '#app/web/pages/landing/messages.ts';

const days = Array.from({ length: 28 }, (_, day) => ({
  day: day + 1,
  x: 90 + (day % 7) * 50,
  y: 150 + Math.floor(day / 7) * 44,
}));

/** The hues of the clubs that have an event on these days. */
const planned: Record<number, number> = { 3: 0, 9: 11, 14: 3, 17: 11, 26: 6 };

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** A month with events of several clubs. */
export function CalendarPicture({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 480 340" role="img" aria-label={t('calendarPicture')} className={className}>
      <g className="drop-shadow-md">
        <rect x="56" y="44" width="368" height="262" rx="20" className="fill-raised" />
      </g>
      <text x="80" y="83" className="fill-ink font-display text-[20px] font-bold">
        {t('june')}
      </text>
      <path
        d="m372 70-8 8 8 8m22-16 8 8-8 8"
        strokeWidth="2.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        className="fill-none stroke-muted"
      />
      {weekdays.map((weekday, place) => (
        <text
          key={weekday}
          x={90 + place * 50}
          y="117"
          textAnchor="middle"
          className="fill-muted text-[12px] font-bold"
        >
          {t(weekday)}
        </text>
      ))}
      {days.map(({ day, x, y }) => (
        <g key={day}>
          {day === 21 && <circle cx={x} cy={y - 5} r="17" className="fill-accent" />}
          <text
            x={x}
            y={y}
            textAnchor="middle"
            className={day === 21 ? 'fill-accent-ink text-[14px] font-bold' : 'fill-ink text-[14px]'}
          >
            {day}
          </text>
          {planned[day] !== undefined && (
            <rect
              x={x - 13}
              y={y + 8}
              width="26"
              height="7"
              rx="3.5"
              data-hue={planned[day]}
              className="fill-club"
            />
          )}
        </g>
      ))}
    </svg>
  );
}
