// Dates of Luxon, as far as expressions commonly use them, in UTC.
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const UNIT_MS = { week: 604800000, day: 86400000, hour: 3600000, minute: 60000, second: 1000, millisecond: 1 };
const padded = (number, length = 2) => String(number).padStart(length, "0");
class DateTime {
  constructor(time) {
    this.date = new Date(time);
    if (Number.isNaN(this.date.getTime())) throw new Error("This is no date.");
  }
  static now() { return new DateTime(Date.now()); }
  static fromISO(text) { return new DateTime(Date.parse(text)); }
  static fromMillis(time) { return new DateTime(time); }
  static fromSeconds(time) { return new DateTime(time * 1000); }
  get year() { return this.date.getUTCFullYear(); }
  get month() { return this.date.getUTCMonth() + 1; }
  get day() { return this.date.getUTCDate(); }
  get hour() { return this.date.getUTCHours(); }
  get minute() { return this.date.getUTCMinutes(); }
  get second() { return this.date.getUTCSeconds(); }
  get millisecond() { return this.date.getUTCMilliseconds(); }
  get quarter() { return Math.ceil(this.month / 3); }
  get ordinal() { return Math.floor((this.startOf("day") - this.startOf("year")) / UNIT_MS.day) + 1; }
  get daysInMonth() { return new Date(Date.UTC(this.year, this.month, 0)).getUTCDate(); }
  get weekNumber() {
    // The week with this Thursday.
    const thursday = this.plus({ days: 4 - this.weekday });
    return Math.ceil(thursday.ordinal / 7);
  }
  get isValid() { return true; }
  get monthShort() { return this.monthLong.slice(0, 3); }
  get weekdayShort() { return this.weekdayLong.slice(0, 3); }
  get weekday() { return this.date.getUTCDay() || 7; }
  get monthLong() { return MONTHS[this.month - 1]; }
  get weekdayLong() { return DAYS[this.weekday % 7]; }
  valueOf() { return this.date.getTime(); }
  toMillis() { return this.date.getTime(); }
  toSeconds() { return this.date.getTime() / 1000; }
  toISO() { return this.date.toISOString(); }
  toISODate() { return this.toISO().slice(0, 10); }
  toJSON() { return this.toISO(); }
  toString() { return this.toISO(); }
  toJSDate() { return this.date; }
  plus(amount, unit) { return this.moved(amount, unit, 1); }
  minus(amount, unit) { return this.moved(amount, unit, -1); }
  moved(amount, unit, sign) {
    const date = new Date(this.date);
    for (const [name, count] of Object.entries(typeof amount === "object" ? amount : { [unit ?? "millisecond"]: amount })) {
      const one = name.replace(/s$/, "");
      const months = one === "year" ? 12 : one === "quarter" ? 3 : one === "month" ? 1 : 0;
      if (!months && !(one in UNIT_MS)) throw new Error(`There is no unit of time "${name}".`);
      if (months) {
        const day = date.getUTCDate();
        date.setUTCDate(1);
        date.setUTCMonth(date.getUTCMonth() + sign * count * months);
        date.setUTCDate(Math.min(day, new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()));
      } else {
        date.setTime(date.getTime() + sign * count * UNIT_MS[one]);
      }
    }
    return new DateTime(date.getTime());
  }
  startOf(unit) {
    const parts = [this.year, this.month - 1, this.day, this.hour, this.minute, this.second];
    if (unit === "week") return this.startOf("day").minus({ days: this.weekday - 1 });
    const kept = ["year", "month", "day", "hour", "minute", "second"].indexOf(unit) + 1;
    if (!kept) throw new Error(`There is no start of "${unit}".`);
    return new DateTime(Date.UTC(...[0, 0, 1, 0, 0, 0].map((first, at) => (at < kept ? parts[at] : first))));
  }
  endOf(unit) { return this.startOf(unit).plus({ [unit]: 1 }).minus({ milliseconds: 1 }); }
  format(pattern) { return this.toFormat(pattern); }
  toFormat(pattern) {
    const hour = this.hour % 12 || 12;
    const parts = {
      yyyy: padded(this.year, 4), yy: padded(this.year % 100), y: this.year, MMMM: this.monthLong, MMM: this.monthLong.slice(0, 3), MM: padded(this.month),
      M: this.month, LLLL: this.monthLong, LLL: this.monthLong.slice(0, 3), LL: padded(this.month), L: this.month, dd: padded(this.day), d: this.day,
      EEEE: this.weekdayLong, EEE: this.weekdayLong.slice(0, 3), cccc: this.weekdayLong, ccc: this.weekdayLong.slice(0, 3), E: this.weekday, c: this.weekday,
      HH: padded(this.hour), H: this.hour, hh: padded(hour), h: hour, mm: padded(this.minute), m: this.minute, ss: padded(this.second), s: this.second,
      SSS: padded(this.date.getUTCMilliseconds(), 3), a: this.hour < 12 ? "AM" : "PM", ZZ: "+00:00", Z: "+0", x: this.toMillis(), X: Math.floor(this.toSeconds()),
    };
    return pattern.replace(/'([^']*)'|([A-Za-z])\2*/g, (token, quoted) => {
      if (quoted !== undefined) return quoted;
      if (!(token in parts)) throw new Error(`The format "${token}" of dates is not known here.`);
      return parts[token];
    });
  }
}
// Dates of JavaScript have these methods in n8n, and so have texts of the form that JSON has for them.
const moved = (date, sign, amount, unit) => new DateTime(date).moved(amount, unit, sign).toJSDate();
const methods = {
  plus: (date, amount, unit) => moved(date, 1, amount, unit),
  minus: (date, amount, unit) => moved(date, -1, amount, unit),
  format: (date, pattern) => new DateTime(date).toFormat(pattern),
};
for (const [name, method] of Object.entries(methods)) {
  const isDate = (value) => typeof value !== "string" || /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(value);
  const call = function (...rest) {
    const value = this.valueOf();
    if (!isDate(value)) throw new Stopped(`${name}() is only callable on dates.`);
    return method(new Date(value), ...rest);
  };
  for (const type of [Date, String]) Object.defineProperty(type.prototype, name, { value: call });
}
