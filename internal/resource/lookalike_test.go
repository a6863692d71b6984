package resource

import "testing"

func TestSkeletonsOfNamesPeopleTakeForOneAnother(t *testing.T) {
	tests := []struct{ name, want string }{
		{"Spring launch", "spring launch"},
		{"  SPRING –  (Launch)! ", "spring launch"},
		{"Ѕрrіng lаunсh", "spring launch"}, // with dze, er, i, a and es of Cyrillic
		{"ΚΑΤΕ", "kate"},                   // Greek
		{"Ｓｐｒｉｎｇ", "spring"},
		{"Spring\u200b launch", "spring launch"},
		{"Café Über", "cafe uber"},
		{"Spring 1-2", "spring 1 2"},
		{"C#", "c#"},
		{"A+ 50%", "a+ 50%"},
		{"Brand | US", "brand us"},
		{"が か", "\u304b\u3099 か"}, // a voiced letter is another one
		{"—", ""},
	}
	for _, tt := range tests {
		if got := Skeleton(tt.name); got != tt.want {
			t.Errorf("Skeleton(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}
