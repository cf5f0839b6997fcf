package io.k8sdns.json;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The type of a scalar as {@code kubectl} reads it, which differs from YAML 1.1: {@code no} is false and {@code 0777} a
 * number, but {@code 12:30} and {@code 2024-01-01} are text, and so are numbers that fit neither into 64 bits nor into
 * a double.
 *
 * <p>Source: the go-yaml 2.4 in {@code sigs.k8s.io/yaml}.
 */
public enum ScalarType {
    NULL("nothing"),
    BOOLEAN("true or false"),
    NUMBER("a number"),
    TEXT("text");

    private static final Pattern FLOAT = Pattern.compile("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?");
    private static final Pattern INTEGER =
            Pattern.compile("[-+]?(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|[1-9][0-9]*|0)");
    // No field holds a longer number, and matching megabytes of digits would overflow the stack.
    private static final int LONGEST_NUMBER = 400;

    private final String words;

    ScalarType(String words) {
        this.words = words;
    }

    /** Returns the description of the type. */
    String words() {
        return words;
    }

    /** Returns the type of a scalar without quotes and without a tag. */
    public static ScalarType ofPlain(String text) {
        if (text.isEmpty()) {
            return NULL;
        }
        char first = text.charAt(0);
        if (first >= '0' && first <= '9' || first == '+' || first == '-' || first == '.') {
            return isNumber(text) ? NUMBER : TEXT;
        }
        return switch (text) {
            case "~", "null", "Null", "NULL" -> NULL;
            case "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON" -> BOOLEAN;
            case "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF" -> BOOLEAN;
            default -> TEXT;
        };
    }

    /** Returns the type of a scalar with a tag, for example {@code !!int}; tags that YAML does not define mean text. */
    public static ScalarType ofTag(String tag, String text) {
        return switch (tag) {
            case "tag:yaml.org,2002:null" -> NULL;
            case "tag:yaml.org,2002:bool" -> ofPlain(text) == BOOLEAN ? BOOLEAN : TEXT;
            case "tag:yaml.org,2002:int", "tag:yaml.org,2002:float" -> ofPlain(text) == NUMBER ? NUMBER : TEXT;
            default -> TEXT;
        };
    }

    private static boolean isNumber(String text) {
        if (text.length() > LONGEST_NUMBER) {
            return false;
        }
        String bare = unsigned(text);
        if (bare.equals(".inf") || bare.equals(".Inf") || bare.equals(".INF")) {
            return true;
        }
        if (text.equals(".nan") || text.equals(".NaN") || text.equals(".NAN")) {
            return true;
        }
        String digits = text.replace("_", "");
        if (FLOAT.matcher(digits).matches()) {
            return !Double.isInfinite(Double.parseDouble(digits));
        }
        return INTEGER.matcher(digits).matches()
                && whole(digits).bitLength() <= (bare.length() < text.length() ? Long.SIZE - 1 : Long.SIZE);
    }

    /** Returns the value of a {@link #BOOLEAN}. */
    public static boolean truth(String text) {
        char first = text.charAt(0);
        return first == 'y' || first == 'Y' || first == 't' || first == 'T' || text.equalsIgnoreCase("on");
    }

    /** Returns the value of a {@link #NUMBER}; not a number for {@code .nan}, infinite for {@code .inf}. */
    public static double value(String text) {
        return isPlainNumber(text) ? Integer.parseInt(text) : anyValue(text);
    }

    /** Returns whether a text is a decimal number that fits into an {@code int}, as every port is. */
    private static boolean isPlainNumber(String text) {
        if (text.length() > 9 || text.charAt(0) == '0' && text.length() > 1) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a text is an integer, without a fraction or an exponent, that fits into a {@code long}. */
    static boolean isLong(String text) {
        String digits = text.replace("_", "");
        return digits.length() <= LONGEST_NUMBER
                && INTEGER.matcher(digits).matches()
                && whole(digits).bitLength() < Long.SIZE;
    }

    /** Returns a {@link #NUMBER} as {@code kubectl} writes it as a key of JSON: fractions are rounded to a float. */
    static String key(String text) {
        String digits = text.replace("_", "");
        if (isLong(digits)) {
            return whole(digits).toString();
        }
        float number = (float) anyValue(text);
        if (Float.isNaN(number)) {
            return ".nan";
        }
        String sign = digits.startsWith("-") ? "-" : "";
        if (Float.isInfinite(number)) {
            return sign + ".inf";
        }
        BigDecimal size = new BigDecimal(Float.toString(Math.abs(number))).stripTrailingZeros();
        int exponent = size.precision() - size.scale() - 1;
        if (exponent >= -4 && exponent < 6) {
            return sign + size.toPlainString();
        }
        return String.format(
                Locale.ROOT,
                "%s%se%+03d",
                sign,
                size.scaleByPowerOfTen(-exponent).toPlainString(),
                exponent);
    }

    private static double anyValue(String text) {
        String digits = text.replace("_", "");
        String bare = unsigned(digits);
        if (bare.startsWith("0") && INTEGER.matcher(bare).matches()) {
            return whole(digits).doubleValue();
        }
        if (bare.startsWith(".") && bare.length() == 4 && Character.isLetter(bare.charAt(1))) {
            double value = Character.toLowerCase(bare.charAt(1)) == 'i' ? Double.POSITIVE_INFINITY : Double.NaN;
            return digits.startsWith("-") ? -value : value;
        }
        return Double.parseDouble(digits);
    }

    /** Returns the value of an integer in any notation. */
    private static BigInteger whole(String digits) {
        String bare = unsigned(digits);
        BigInteger value;
        if (bare.charAt(0) == '0' && bare.length() > 1) {
            int radix = switch (bare.charAt(1)) {
                case 'x', 'X' -> 16;
                case 'b', 'B' -> 2;
                default -> 8;
            };
            boolean prefixed = !Character.isDigit(bare.charAt(1));
            value = new BigInteger(bare.substring(prefixed ? 2 : 1), radix);
        } else {
            value = new BigInteger(bare);
        }
        return digits.startsWith("-") ? value.negate() : value;
    }

    private static String unsigned(String number) {
        return number.startsWith("+") || number.startsWith("-") ? number.substring(1) : number;
    }
}
